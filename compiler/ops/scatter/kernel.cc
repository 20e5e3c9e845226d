// Scattered updates as a kernel of its own: data decide where an update goes and what is there already. Updates that
// may meet belong to one item, in their order. An update whose position is outside is skipped.
//
// Two stages: the first copies the data, the second writes the updates to their positions.
//
// Updates have the shape [lines][steps][inner]. Different lines and inner positions write different elements, whatever
// the indices are. So an item is some inner positions of a line, with all its steps.
//
//    scatter_elements    lines, inner: the axes before and behind the one that is indexed; an index per element
//    scatter_nd          one line; a step per position; inner: a slice, whose elements share the step's position
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kCopied = 4096;               // elements of an item of the first stage
constexpr int64_t kScatterItemPositions = 256;  // most inner positions of an item of the second stage

int64_t ElementsOfAxes(const Shape& shape, size_t begin, size_t end) {
  return ElementCount(Shape(shape.begin() + static_cast<int64_t>(begin), shape.begin() + static_cast<int64_t>(end)));
}

struct ScatterShape {
  explicit ScatterShape(const relay::Call& call)
      : data(TensorTypeOf(call.args[0]).shape),
        indices(TensorTypeOf(call.args[1]).shape),
        dtype(TensorTypeOf(call.args[0]).dtype),
        index_type(TensorTypeOf(call.args[1]).dtype),
        slices(relay::AsOp(call.op)->def->name == "scatter_nd"),
        join(call.attrs.GetString(slices ? "mode" : "reduction")) {
    if (slices) {
      depth = indices[0];
      steps = ElementsOfAxes(indices, 1, indices.size());
      inner = ElementsOfAxes(data, static_cast<size_t>(depth), data.size());
      return;
    }
    axis = static_cast<size_t>(relay::NormalizedAxis(call.attrs.GetInt("axis"), data.size()));
    lines = ElementsOfAxes(indices, 0, axis);
    steps = indices[axis];
    inner = ElementsOfAxes(indices, axis + 1, indices.size());
  }

  int64_t chunks() const { return (inner + kScatterItemPositions - 1) / kScatterItemPositions; }
  bool empty() const { return lines * steps * inner == 0; }

  Shape data, indices;
  DType dtype, index_type;
  bool slices;  // scatter_nd
  std::string join;
  int64_t depth = 1;  // for scatter_nd: number of parts of a position
  size_t axis = 0;    // for scatter_elements
  int64_t lines = 1, steps = 0, inner = 0;
};

struct ScatterOperands {
  Value *data, *indices, *updates, *result;
};

class ScatterKernel {
 public:
  ScatterKernel(KernelBuilder& b, const ScatterShape& shape, const ScatterOperands& operands)
      : b_(b), shape_(shape), operands_(operands) {}

  void EmitCopy(const StageArgs& args) {
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value* first = b_.Mul(item, kCopied);
      Value* last = b_.Min(b_.Add(first, kCopied), b_.Index(ElementCount(shape_.data)));
      ForVectors(first, last, [&](Value* at, int lanes) {
        Value* offset = b_.Mul(at, Bytes(shape_.dtype));
        b_.Store(LoadElements(b_, shape_.dtype, b_.At(operands_.data, offset), lanes), b_.At(operands_.result, offset));
      });
    });
  }

  void EmitUpdates(const StageArgs& args) {
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value *line = b_.Div(item, shape_.chunks()),
            *first = b_.Mul(b_.Mod(item, shape_.chunks()), kScatterItemPositions);
      Value* last = b_.Min(b_.Add(first, kScatterItemPositions), b_.Index(shape_.inner));
      b_.For(0, shape_.steps, 1, [&](Value* step) {
        if (shape_.slices) return EmitSlice(step, first, last);
        b_.For(first, last, 1, [&](Value* i) { EmitElement(line, step, i); });
      });
    });
  }

 private:
  void ForVectors(Value* first, Value* last, const std::function<void(Value* at, int lanes)>& body) {
    const int lanes = b_.lanes();
    Value* whole = b_.Add(first, b_.Mul(b_.Div(b_.Sub(last, first), lanes), lanes));
    b_.For(first, whole, lanes, [&](Value* at) { body(at, lanes); });
    b_.For(whole, last, 1, [&](Value* at) { body(at, 1); });
  }

  // The index as i64; negative ones count from the back.
  Value* IndexAt(Value* at, int64_t extent) {
    auto& ir = b_.ir();
    Value* index =
        LoadElements(b_, shape_.index_type, b_.At(operands_.indices, b_.Mul(at, Bytes(shape_.index_type))), 1);
    index = ir.CreateSExtOrTrunc(index, b_.i64());
    return ir.CreateSelect(ir.CreateICmpSLT(index, b_.Index(0)), b_.Add(index, extent), index);
  }
  Value* IsInside(Value* index, int64_t extent) { return b_.ir().CreateICmpULT(index, b_.Index(extent)); }

  void EmitSlice(Value* step, Value* first, Value* last) {
    Value *place = b_.Index(0), *inside = b_.ir().getTrue();
    for (int64_t part = 0; part < shape_.depth; ++part) {
      const int64_t extent = Nth(shape_.data, part);
      Value* index = IndexAt(b_.Add(step, part * shape_.steps), extent);
      inside = b_.ir().CreateAnd(inside, IsInside(index, extent));
      place = b_.Add(b_.Mul(place, extent), index);
    }
    b_.If(inside, [&] {
      ForVectors(first, last, [&](Value* i, int lanes) {
        Put(b_.Add(b_.Mul(place, shape_.inner), i), b_.Add(b_.Mul(step, shape_.inner), i), lanes);
      });
    });
  }

  void EmitElement(Value* line, Value* step, Value* i) {
    const int64_t extent = shape_.data[shape_.axis];
    const int64_t stride = ElementsOfAxes(shape_.data, shape_.axis + 1, shape_.data.size());
    Value* from = b_.Add(b_.Mul(b_.Add(b_.Mul(line, shape_.steps), step), shape_.inner), i);
    Value* index = IndexAt(from, extent);
    b_.If(IsInside(index, extent), [&] {
      Value* row = b_.Add(b_.Mul(InData(line, 0, shape_.axis), extent), index);
      Put(b_.Add(b_.Mul(row, stride), InData(i, shape_.axis + 1, shape_.data.size())), from, 1);
    });
  }

  // Turns a position within some axes of the indices into one within the same axes of the data.
  Value* InData(Value* at, size_t begin, size_t end) {
    if (std::equal(shape_.data.begin() + static_cast<int64_t>(begin), shape_.data.begin() + static_cast<int64_t>(end),
                   shape_.indices.begin() + static_cast<int64_t>(begin))) {
      return at;
    }
    Value* offset = b_.Index(0);
    int64_t stride = 1;
    for (size_t d = end; d-- > begin;) {
      offset = b_.Add(offset, b_.Mul(b_.Mod(at, shape_.indices[d]), stride));
      at = b_.Div(at, shape_.indices[d]);
      stride *= shape_.data[d];
    }
    return offset;
  }

  void Put(Value* to, Value* from, int lanes) {
    Value* target = b_.At(operands_.result, b_.Mul(to, Bytes(shape_.dtype)));
    Value* update = LoadElements(b_, shape_.dtype, b_.At(operands_.updates, b_.Mul(from, Bytes(shape_.dtype))), lanes);
    if (shape_.join != "update") update = Joined(LoadElements(b_, shape_.dtype, target, lanes), update);
    b_.Store(update, target);
  }

  Value* Joined(Value* held, Value* update) {
    auto& ir = b_.ir();
    const bool is_float = IsFloat(shape_.dtype);
    if (shape_.join == "add") return is_float ? b_.FAdd(held, update) : ir.CreateAdd(held, update);
    if (shape_.join == "mul") return is_float ? b_.FMul(held, update) : ir.CreateMul(held, update);
    return FoldPair(b_, shape_.join == "max" ? FoldKind::kMax : FoldKind::kMin, held, update,
                    shape_.dtype == DType::kUInt8);
  }

  KernelBuilder& b_;
  const ScatterShape& shape_;
  const ScatterOperands& operands_;
};

EmittedKernel EmitScatter(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const ScatterShape shape(*WholeCallOf(function));
  const auto stage = [&](const std::string& name, void (ScatterKernel::*emit)(const StageArgs&)) {
    builder.Stage(name, [&](const StageArgs& args) {
      const auto argument = [&](size_t i) { return builder.Operand(args, ParameterOf(function, i)); };
      const ScatterOperands operands{argument(0), argument(1), argument(2),
                                     builder.Operand(args, static_cast<int>(function.params.size()))};
      (ScatterKernel(builder, shape, operands).*emit)(args);
    });
  };
  stage(symbol, &ScatterKernel::EmitCopy);
  EmittedKernel kernel{{{symbol, (ElementCount(shape.data) + kCopied - 1) / kCopied, 1, 0}}, 0};
  if (shape.empty()) return kernel;
  stage(symbol + "_1", &ScatterKernel::EmitUpdates);
  kernel.stages.push_back({symbol + "_1", shape.lines * shape.chunks(), 1, 0});
  return kernel;
}

}  // namespace

EmitterTable ScatterEmitters() { return {{"scatter_elements", EmitScatter}, {"scatter_nd", EmitScatter}}; }

}  // namespace hone
