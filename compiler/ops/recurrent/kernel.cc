// Recurrent layers as kernels of their own, with the loop over time inside:
//
//    for item: direction, group of rows      work items
//      for time step
//        for tile of units                   sums of all gates in registers
//          for k: sums += state[k] * weight
//          cell: gates -> new state
//
// One item per direction and group of a few rows, which share each load of the weight. A unit's sum has a fixed order,
// so that no bit depends on the group of its row.

#include "compiler/codegen/kernel_builder.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/ops/recurrent/kernel_step.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

// A vector of units at a time, then one by one.
void ForUnits(KernelBuilder& b, const RecurrentShape& shape,
              const std::function<void(Value* offset, int lanes)>& body) {
  const int64_t whole = shape.units / shape.lanes * shape.lanes;
  b.For(0, whole, shape.lanes, [&](Value* unit) { body(b.Mul(unit, 4), shape.lanes); });
  b.For(whole, shape.units, 1, [&](Value* unit) { body(b.Mul(unit, 4), 1); });
}

void CopyUnits(KernelBuilder& b, const RecurrentShape& shape, Value* from, Value* to) {
  ForUnits(b, shape, [&](Value* offset, int lanes) { b.Store(b.Load(b.At(from, offset), lanes), b.At(to, offset)); });
}

void ZeroUnits(KernelBuilder& b, const RecurrentShape& shape, Value* to) {
  ForUnits(b, shape, [&](Value* offset, int lanes) {
    b.Store(llvm::Constant::getNullValue(b.VecType(lanes)), b.At(to, offset));
  });
}

class RecurrentKernel {
 public:
  RecurrentKernel(KernelBuilder& builder, const RecurrentShape& shape, const RecurrentOperands& operands)
      : b_(builder), shape_(shape), operands_(operands) {}

  // Items are ordered by direction; in each direction items with all their rows come first, then the rest.
  int64_t Emit(const StageArgs& args) {
    int64_t before = 0;
    for (int64_t direction = 0; direction < shape_.cell.directions(); ++direction) {
      const int64_t whole = shape_.rows / shape_.item_rows, rest = shape_.rows % shape_.item_rows;
      before = EmitItems(args, before, whole, direction, 0, shape_.item_rows);
      if (rest > 0) before = EmitItems(args, before, 1, direction, whole * shape_.item_rows, rest);
    }
    return before;
  }

 private:
  int64_t EmitItems(const StageArgs& args, int64_t before, int64_t count, int64_t direction, int64_t first,
                    int64_t rows) {
    Value* begin = b_.Max(b_.Add(args.begin, -before), b_.Index(0));
    Value* end = b_.Min(b_.Add(args.end, -before), b_.Index(count));
    b_.For(begin, end, 1, [&](Value* item) {
      EmitRows({direction, b_.Add(b_.Mul(item, rows), first), rows, nullptr, nullptr, nullptr});
    });
    return before + count;
  }

  // Emits the steps of an item's rows. A row with a length of its own is an item by itself.
  void EmitRows(RecurrentStep step) {
    const bool reversed = shape_.cell.reversed[static_cast<size_t>(step.direction)];
    const int64_t apart = shape_.units * 4;
    Value* length = LengthOf(step.first_row);
    if (operands_.cell != nullptr) CopyCells(step);
    const Vals start{b_.At(operands_.hidden, StateAt(b_, shape_, step.direction, step.first_row)), b_.Index(apart)};
    const Vals last = b_.Loop(b_.Index(0), length, 1, start, [&](Value* i, const Vals& state) {
      step.time = reversed ? b_.Sub(b_.Add(length, -1), i) : i;
      step.before = state[0];
      step.before_stride = state[1];
      if (shape_.cell.zero_state) step.terms = TermsOf(i);
      EmitRecurrentStep(b_, shape_, operands_, step);
      Value* now = StatesAt(b_, shape_, step.direction, step.time, step.first_row);
      return Vals{b_.At(operands_.states, now), b_.Index(shape_.cell.directions() * apart)};
    });
    b_.For(0, step.rows, 1, [&](Value* m) {
      Value* to = StateAt(b_, shape_, step.direction, b_.Add(step.first_row, m));
      CopyUnits(b_, shape_, b_.At(last[0], b_.Mul(m, last[1])), b_.At(operands_.last_hidden, to));
    });
    if (operands_.lengths == nullptr) return;
    b_.For(length, b_.Index(shape_.steps), 1, [&](Value* time) {
      ZeroUnits(b_, shape_, b_.At(operands_.states, StatesAt(b_, shape_, step.direction, time, step.first_row)));
    });
  }

  // Products of a state of zeros are left out.
  Value* TermsOf(Value* step) {
    Value* is_first = b_.ir().CreateICmpEQ(step, b_.Index(0));
    return b_.ir().CreateSelect(is_first, b_.Index(0), b_.Index(shape_.units));
  }

  // The length comes from outside, so it is clamped to the number of steps.
  Value* LengthOf(Value* row) {
    if (operands_.lengths == nullptr) return b_.Index(shape_.steps);
    Value* given = b_.LoadAs(b_.i32(), b_.At(operands_.lengths, b_.Mul(row, 4)));
    return b_.Min(b_.Max(b_.ir().CreateSExt(given, b_.i64()), b_.Index(0)), b_.Index(shape_.steps));
  }

  void CopyCells(const RecurrentStep& step) {
    b_.For(0, step.rows, 1, [&](Value* m) {
      Value* at = StateAt(b_, shape_, step.direction, b_.Add(step.first_row, m));
      CopyUnits(b_, shape_, b_.At(operands_.cell, at), b_.At(operands_.last_cell, at));
    });
  }

  KernelBuilder& b_;
  const RecurrentShape& shape_;
  const RecurrentOperands& operands_;
};

RecurrentOperands OperandsOf(KernelBuilder& b, const relay::Function& function, const RecurrentShape& shape,
                             const StageArgs& args) {
  const auto argument = [&](int i) -> Value* {
    return i < 0 ? nullptr : b.Operand(args, ParameterOf(function, static_cast<size_t>(i)));
  };
  const auto result = [&](size_t i) { return b.Operand(args, static_cast<int>(function.params.size() + i)); };
  RecurrentOperands operands;
  operands.data = argument(0);
  operands.weight = argument(1);
  operands.hidden = argument(2);
  operands.cell = argument(shape.cell.cell_argument());
  operands.bias = argument(shape.cell.bias_argument());
  operands.peepholes = argument(shape.cell.peepholes_argument());
  operands.scales = argument(shape.cell.scales_argument());
  operands.lengths = argument(shape.cell.lengths_argument());
  operands.states = result(0);
  operands.last_hidden = result(1);
  if (operands.cell != nullptr) operands.last_cell = result(2);
  if (shape.workspace_bytes() > 0) operands.workspace = b.WorkerWorkspace(args);
  return operands;
}

EmittedKernel EmitRecurrent(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const RecurrentShape shape(*WholeCallOf(function), builder.machine());
  int64_t extent = 0;
  builder.Stage(symbol, [&](const StageArgs& args) {
    const RecurrentOperands operands = OperandsOf(builder, function, shape, args);
    extent = RecurrentKernel(builder, shape, operands).Emit(args);
  });
  return {{{symbol, extent, 1, shape.workspace_bytes()}}, 0};
}

}  // namespace

EmitterTable RecurrentEmitters() { return {{"nn.recurrent", EmitRecurrent}}; }

}  // namespace hone
