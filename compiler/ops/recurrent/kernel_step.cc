#include "compiler/ops/recurrent/kernel_step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/math.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/recurrent/op_cell.h"
#include "core/nth.h"

namespace hone {
namespace {

// y if x is below the bound, else x; NaN is not below.
Value* Below(KernelBuilder& b, Value* x, double bound, Value* y) {
  return b.ir().CreateSelect(b.ir().CreateFCmpOLT(x, Like(x, bound)), y, x);
}

// max(x, 0) + log(1 + exp(-|x|)), which never overflows.
Value* Softplus(KernelBuilder& b, Value* x) {
  Value* minus = b.FSub(Like(x, 0), b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  return b.FAdd(b.FMax(x, Like(x, 0)), EmitLog1p(b, EmitExpOfNegative(b, minus)));
}

// `x` is a float32 scalar or vector of any width. NaN gives NaN.
Value* EmitCellActivation(KernelBuilder& b, const relay::CellActivation& activation, Value* x) {
  using relay::CellFunction;
  Value *alpha = Like(x, activation.alpha), *beta = Like(x, activation.beta);
  switch (activation.function) {
    case CellFunction::kSigmoid:
      return EmitSigmoid(b, x);
    case CellFunction::kTanh:
      return EmitTanh(b, x);
    case CellFunction::kRelu:
      return b.FMax(x, Like(x, 0));
    case CellFunction::kAffine:
      return b.Fma(alpha, x, beta);
    case CellFunction::kLeakyRelu:
      return EmitSlope(b, x, alpha);
    case CellFunction::kThresholdedRelu:
      return Below(b, x, activation.alpha, Like(x, 0));
    case CellFunction::kScaledTanh:
      return b.FMul(alpha, EmitTanh(b, b.FMul(beta, x)));
    case CellFunction::kHardSigmoid:
      return b.FMin(b.FMax(b.Fma(alpha, x, beta), Like(x, 0)), Like(x, 1));
    case CellFunction::kElu:
      return Below(b, x, 0, b.FMul(alpha, EmitExpm1(b, b.FMin(x, Like(x, 0)))));
    case CellFunction::kSoftsign:
      return b.FDiv(x, b.FAdd(Like(x, 1), b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x)));
    case CellFunction::kSoftplus:
      return Softplus(b, x);
  }
  return x;
}

using relay::CellKind;
using relay::kRecurrentBlock;

constexpr int64_t kCellFloatBytes = 4;
constexpr int64_t kSharing = 4;  // most groups that share a read of the weight

// Units that are computed together, in vectors from `unit` on; the last vector may have fewer units than lanes.
struct Tile {
  Value* unit = nullptr;
  int64_t vectors = 1;
  int last = 1;  // units in the last vector
};

class CellStep {
 public:
  CellStep(KernelBuilder& builder, const RecurrentShape& shape, const RecurrentOperands& operands,
           const RecurrentStep& step)
      : b_(builder), shape_(shape), cell_(shape.cell), operands_(operands), step_(step) {}

  void Emit() {
    if (cell_.kind != CellKind::kGru) return ForTiles(cell_.gates(), [&](const Tile& tile) { WholeCell(tile); });
    ForTiles(2, [&](const Tile& tile) { GruGates(tile); });
    ForTiles(1, [&](const Tile& tile) { GruCandidate(tile); });
  }

 private:
  // Tiles of as many vectors as have a register each for the sum of every gate. The loop over groups of rows is inside.
  template <typename Body>
  void ForTiles(int64_t gates, const Body& body) {
    const int64_t most = std::min(shape_.group, step_.rows);
    const auto room = static_cast<uint64_t>(std::max<int64_t>(1, shape_.accumulators / (gates * most)));
    const auto vectors = static_cast<int64_t>(std::bit_floor(room));
    const int64_t width = vectors * shape_.lanes, whole = shape_.units / width * width;
    b_.For(0, whole, width, [&](Value* unit) { ForGroups(Tile{unit, vectors, shape_.lanes}, body); });
    const int64_t rest = shape_.units - whole;
    if (rest == 0) return;
    const int64_t count = (rest + shape_.lanes - 1) / shape_.lanes;
    ForGroups(Tile{b_.Index(whole), count, static_cast<int>(rest - (count - 1) * shape_.lanes)}, body);
  }

  template <typename Body>
  void ForGroups(const Tile& tile, const Body& body) {
    const int64_t whole = step_.rows / shape_.group * shape_.group;
    const auto emit = [&](Value* first, int64_t rows) {
      first_ = first;
      rows_ = rows;
      body(tile);
    };
    b_.For(0, whole, shape_.group, [&](Value* first) { emit(first, shape_.group); });
    if (whole < step_.rows) emit(b_.Index(whole), step_.rows - whole);
  }

  int ValidOf(const Tile& tile, int64_t vector) const { return vector + 1 == tile.vectors ? tile.last : shape_.lanes; }
  Value* UnitOf(const Tile& tile, int64_t vector) { return b_.Add(tile.unit, vector * shape_.lanes); }

  // Loads units of a row; lanes past the valid ones hold anything.
  Value* LoadUnits(Value* row, const Tile& tile, int64_t vector) {
    Value* ptr = b_.At(row, b_.Mul(UnitOf(tile, vector), kCellFloatBytes));
    const int valid = ValidOf(tile, vector);
    if (valid == shape_.lanes) return b_.Load(ptr, valid);
    std::vector<int> mask(static_cast<size_t>(shape_.lanes), llvm::PoisonMaskElem);
    std::iota(mask.begin(), mask.begin() + valid, 0);
    Value* some = b_.LoadAs(llvm::FixedVectorType::get(b_.f32(), static_cast<unsigned>(valid)), ptr);
    return b_.ir().CreateShuffleVector(some, llvm::ArrayRef<int>(mask));
  }

  void StoreUnits(Value* value, Value* row, const Tile& tile, int64_t vector) {
    Value* ptr = b_.At(row, b_.Mul(UnitOf(tile, vector), kCellFloatBytes));
    const int valid = ValidOf(tile, vector);
    if (valid < shape_.lanes) {
      std::vector<int> prefix(static_cast<size_t>(valid));
      std::iota(prefix.begin(), prefix.end(), 0);
      value = b_.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(prefix));
    }
    b_.Store(value, ptr);
  }

  // Rows `m` of the group, counted from the item's first row and from the first of all.
  Value* Local(int64_t m) { return b_.Add(first_, m); }
  Value* Row(int64_t m) { return b_.Add(step_.first_row, Local(m)); }
  Value* Before(int64_t m) { return b_.At(step_.before, b_.Mul(Local(m), step_.before_stride)); }
  Value* After(int64_t m) { return b_.At(operands_.states, StatesAt(b_, shape_, step_.direction, step_.time, Row(m))); }
  Value* Memory(int64_t m) { return b_.At(operands_.last_cell, StateAt(b_, shape_, step_.direction, Row(m))); }
  Value* Data(int64_t m, int64_t gate) {
    Value* row = b_.Mul(StatesAt(b_, shape_, step_.direction, step_.time, Row(m)), cell_.gates());
    return b_.At(b_.At(operands_.data, row), gate * shape_.units * kCellFloatBytes);
  }
  Value* Peephole(int64_t gate) {
    return b_.At(operands_.peepholes, (step_.direction * 3 + gate) * shape_.units * kCellFloatBytes);
  }
  Value* Scales(int64_t gate) {
    return b_.At(operands_.scales, (step_.direction * cell_.gates() + gate) * shape_.units * kCellFloatBytes);
  }
  Value* Bias() { return b_.At(operands_.bias, step_.direction * shape_.units * kCellFloatBytes); }
  // A gru's update gates, followed by the states that its candidate reads.
  Value* Updates(int64_t m) { return b_.At(operands_.workspace, b_.Mul(Local(m), shape_.padded() * kCellFloatBytes)); }
  Value* Seen(int64_t m) {
    Value* row = b_.Add(Local(m), step_.rows);
    return b_.At(operands_.workspace, b_.Mul(row, shape_.padded() * kCellFloatBytes));
  }

  Value* Like(Value* x, double c) { return llvm::ConstantFP::get(x->getType(), c); }

  Value* Apply(int64_t function, Value* x) {
    if (!std::isinf(cell_.clip)) x = b_.FMin(b_.FMax(x, Like(x, -cell_.clip)), Like(x, cell_.clip));
    return EmitCellActivation(b_, cell_.Function(step_.direction, function), x);
  }

  // `first` plus the products, by row, gate and vector. Integer weights are summed as floats and scaled afterwards, so
  // that each costs one conversion and one multiply-add.
  Vals Sums(const Tile& tile, const std::vector<int64_t>& gates, const Vals& first,
            const std::function<Value*(int64_t m)>& state) {
    if (operands_.scales == nullptr) return Products(tile, gates, first, state);
    Vals sums = Products(tile, gates, Vals(first.size(), llvm::Constant::getNullValue(first[0]->getType())), state);
    const auto count = static_cast<int64_t>(gates.size());
    for (int64_t g = 0; g < count; ++g) {
      for (int64_t u = 0; u < tile.vectors; ++u) {
        Value* scale = LoadUnits(Scales(Nth(gates, g)), tile, u);
        for (int64_t m = 0; m < rows_; ++m) {
          const int64_t i = (m * count + g) * tile.vectors + u;
          Nth(sums, i) = b_.Fma(Nth(sums, i), scale, Nth(first, i));
        }
      }
    }
    return sums;
  }

  // Sums, ordered by row, gate and vector:
  //
  //         gates x vectors            the weight of one block:
  //        +-------------+             k = 0: | gate 0: 16 | gate 1: 16 | ...
  //   rows | sums        |  += s[k] w  k = 1: | gate 0: 16 | gate 1: 16 | ...
  //        +-------------+
  Vals Products(const Tile& tile, const std::vector<int64_t>& gates, const Vals& first,
                const std::function<Value*(int64_t m)>& state) {
    const int64_t element = Bytes(shape_.weight);
    const int64_t step_bytes = cell_.gates() * kRecurrentBlock * element, block_bytes = shape_.units * step_bytes;
    Value* block = b_.Mul(b_.Div(tile.unit, kRecurrentBlock), block_bytes);
    Value* weight = b_.At(operands_.weight, step_.direction * shape_.blocks * block_bytes);
    weight = b_.At(weight, b_.Add(block, b_.Mul(b_.Mod(tile.unit, kRecurrentBlock), element)));
    Vals states;
    for (int64_t m = 0; m < rows_; ++m) states.push_back(state(m));
    const auto accumulate = [&](Value* k, const Vals& sums) {
      Value* from = b_.At(weight, b_.Mul(k, step_bytes));
      Vals next = sums, splats;
      for (Value* row : states)
        splats.push_back(b_.Splat(b_.Load(b_.At(row, b_.Mul(k, kCellFloatBytes))), shape_.lanes));
      const auto count = static_cast<int64_t>(gates.size());
      for (int64_t g = 0; g < count; ++g) {
        for (int64_t u = 0; u < tile.vectors; ++u) {
          const int64_t lane = u * shape_.lanes;
          const int64_t at = lane / kRecurrentBlock * block_bytes +
                             (Nth(gates, g) * kRecurrentBlock + lane % kRecurrentBlock) * element;
          Value* w = LoadConverted(b_, shape_.weight, b_.At(from, at), shape_.lanes, DType::kFloat32);
          for (int64_t m = 0; m < rows_; ++m) {
            Value*& sum = Nth(next, (m * count + g) * tile.vectors + u);
            sum = b_.Fma(w, Nth(splats, m), sum);
          }
        }
      }
      return next;
    };
    // Two terms per iteration, because the loop's own instructions matter if sums are few.
    Value* terms = step_.terms != nullptr ? step_.terms : b_.Index(shape_.units);
    Value* even = b_.Mul(b_.Div(terms, 2), 2);
    Vals sums = b_.Loop(b_.Index(0), even, 2, first,
                        [&](Value* k, const Vals& now) { return accumulate(b_.Add(k, 1), accumulate(k, now)); });
    return shape_.units % 2 == 0 ? sums : b_.Loop(even, terms, 1, sums, accumulate);
  }

  // The data's contribution to some gates, ordered as in Sums.
  Vals FromData(const Tile& tile, const std::vector<int64_t>& gates) {
    Vals first;
    for (int64_t m = 0; m < rows_; ++m) {
      for (const int64_t gate : gates) {
        for (int64_t u = 0; u < tile.vectors; ++u) first.push_back(LoadUnits(Data(m, gate), tile, u));
      }
    }
    return first;
  }

  void WholeCell(const Tile& tile) {
    const bool after = cell_.kind == CellKind::kGruResetAfter;
    std::vector<int64_t> gates(static_cast<size_t>(cell_.gates()));
    std::iota(gates.begin(), gates.end(), 0);
    Vals first = FromData(tile, gates);
    const auto at = [&](int64_t m, int64_t g, int64_t u) { return (m * cell_.gates() + g) * tile.vectors + u; };
    for (int64_t m = 0; after && m < rows_; ++m) {
      for (int64_t u = 0; u < tile.vectors; ++u) Nth(first, at(m, 2, u)) = LoadUnits(Bias(), tile, u);
    }
    const Vals sums = Sums(tile, gates, first, [&](int64_t m) { return Before(m); });
    for (int64_t m = 0; m < rows_; ++m) {
      for (int64_t u = 0; u < tile.vectors; ++u) {
        const auto sum = [&](int64_t g) { return Nth(sums, at(m, g, u)); };
        Value* hidden = cell_.kind == CellKind::kRnn    ? Apply(0, sum(0))
                        : cell_.kind == CellKind::kLstm ? Lstm(tile, m, u, {sum(0), sum(1), sum(2), sum(3)})
                                                        : GruAfter(tile, m, u, {sum(0), sum(1), sum(2)});
        StoreUnits(hidden, After(m), tile, u);
      }
    }
  }

  // The gate's sum plus its peephole on the cell.
  Value* WithPeephole(const Tile& tile, int64_t u, int64_t gate, Value* sum, Value* memory) {
    return cell_.peepholes ? b_.Fma(LoadUnits(Peephole(gate), tile, u), memory, sum) : sum;
  }

  Value* Lstm(const Tile& tile, int64_t m, int64_t u, const Vals& sums) {
    Value* memory = LoadUnits(Memory(m), tile, u);
    Value* in = Apply(0, WithPeephole(tile, u, 0, sums[0], memory));
    Value* forget = cell_.input_forget ? b_.FSub(Like(in, 1), in) : Apply(0, WithPeephole(tile, u, 2, sums[2], memory));
    memory = b_.Fma(in, Apply(1, sums[3]), b_.FMul(forget, memory));
    StoreUnits(memory, Memory(m), tile, u);
    Value* out = Apply(0, WithPeephole(tile, u, 1, sums[1], memory));
    return b_.FMul(out, EmitCellActivation(b_, cell_.Function(step_.direction, 2), memory));
  }

  // Computes z h + (1 - z) candidate.
  Value* Mixed(Value* update, Value* candidate, Value* before) {
    return b_.Fma(update, b_.FSub(before, candidate), candidate);
  }

  Value* GruAfter(const Tile& tile, int64_t m, int64_t u, const Vals& sums) {
    Value *update = Apply(0, sums[0]), *reset = Apply(0, sums[1]);
    Value* candidate = Apply(1, b_.Fma(reset, sums[2], LoadUnits(Data(m, 2), tile, u)));
    return Mixed(update, candidate, LoadUnits(Before(m), tile, u));
  }

  void GruGates(const Tile& tile) {
    const Vals sums = Sums(tile, {0, 1}, FromData(tile, {0, 1}), [&](int64_t m) { return Before(m); });
    for (int64_t m = 0; m < rows_; ++m) {
      for (int64_t u = 0; u < tile.vectors; ++u) {
        StoreUnits(Apply(0, Nth(sums, m * 2 * tile.vectors + u)), Updates(m), tile, u);
        Value* reset = Apply(0, Nth(sums, (m * 2 + 1) * tile.vectors + u));
        StoreUnits(b_.FMul(reset, LoadUnits(Before(m), tile, u)), Seen(m), tile, u);
      }
    }
  }

  void GruCandidate(const Tile& tile) {
    const Vals sums = Sums(tile, {2}, FromData(tile, {2}), [&](int64_t m) { return Seen(m); });
    for (int64_t m = 0; m < rows_; ++m) {
      for (int64_t u = 0; u < tile.vectors; ++u) {
        Value* candidate = Apply(1, Nth(sums, m * tile.vectors + u));
        Value* hidden = Mixed(LoadUnits(Updates(m), tile, u), candidate, LoadUnits(Before(m), tile, u));
        StoreUnits(hidden, After(m), tile, u);
      }
    }
  }

  KernelBuilder& b_;
  const RecurrentShape& shape_;
  const relay::RecurrentCell& cell_;
  const RecurrentOperands& operands_;
  const RecurrentStep& step_;
  Value* first_ = nullptr;  // the group's first row in the item
  int64_t rows_ = 1;        // number of rows in the group
};

}  // namespace

RecurrentShape::RecurrentShape(const relay::Call& call, const MachineModel& machine)
    : cell(relay::ReadRecurrentCell(call.attrs)),
      lanes(static_cast<int>(std::min<int64_t>(machine.vector_lanes, kRecurrentBlock))),
      weight(cell.scales ? DType::kInt8 : DType::kFloat32) {
  const Shape& data = call.args[0]->type->shape;
  steps = data[0];
  rows = data[1];
  units = call.args[2]->type->shape[2];
  blocks = (units + kRecurrentBlock - 1) / kRecurrentBlock;
  // A quarter of the registers remains for weights and states.
  accumulators = machine.vector_registers / 4 * 3;
  // Each row needs the sums of all gates and the splat of its state; one register holds a vector of the weight.
  const int64_t fits = (machine.vector_registers - 1) / (std::max<int64_t>(2, cell.gates()) + 1);
  const int64_t most = cell.lengths ? 1 : std::max<int64_t>(1, fits);
  const int64_t groups = (rows + most - 1) / most;
  group = (rows + groups - 1) / groups;
  // A weight that exceeds the caches is read once for several groups. Otherwise every group is an item, for more
  // workers.
  const int64_t weight_bytes = Bytes(weight, units * padded() * cell.gates());
  item_rows = group * (weight_bytes > machine.l2_bytes / 2 ? std::min(groups, kSharing) : 1);
}

int64_t RecurrentShape::workspace_bytes() const {
  return cell.kind == CellKind::kGru ? 2 * item_rows * padded() * kCellFloatBytes : 0;
}

Value* StatesAt(KernelBuilder& b, const RecurrentShape& shape, int64_t direction, Value* time, Value* row) {
  Value* place = b.Mul(b.Add(b.Mul(time, shape.rows), row), shape.cell.directions());
  return b.Mul(b.Add(place, direction), shape.units * kCellFloatBytes);
}

Value* StateAt(KernelBuilder& b, const RecurrentShape& shape, int64_t direction, Value* row) {
  return b.Mul(b.Add(row, direction * shape.rows), shape.units * kCellFloatBytes);
}

void EmitRecurrentStep(KernelBuilder& b, const RecurrentShape& shape, const RecurrentOperands& operands,
                       const RecurrentStep& step) {
  CellStep(b, shape, operands, step).Emit();
}

}  // namespace hone
