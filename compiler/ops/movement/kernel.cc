// Operators that only move coordinates: their elements are elements of their arguments.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/generic/operand_access.h"
#include "compiler/generic/places.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/movement/kernel_line_lookup.h"
#include "core/nth.h"

namespace hone {
namespace {

size_t NamedAxis(const relay::Call& call, std::string_view name, int64_t otherwise, size_t rank) {
  const int64_t axis = call.attrs.GetInt(name, otherwise);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

int64_t PositionsOfAxes(const Shape& shape, size_t first, size_t last) {
  return std::accumulate(shape.begin() + static_cast<int64_t>(first), shape.begin() + static_cast<int64_t>(last),
                         int64_t{1}, std::multiplies<>());
}

// Position in row-major order along the dimensions [first, last).
Coordinate Flattened(KernelBuilder& b, const Coordinates& at, const Shape& shape, size_t first, size_t last) {
  Coordinate flat = At(b, 0);
  for (size_t d = first; d < last; ++d) {
    const Coordinate scaled = Scaled(b, at[d], PositionsOfAxes(shape, d + 1, last));
    flat = {b.Add(flat.base, scaled.base), flat.step + scaled.step};
  }
  return flat;
}

// The inverse, for a scalar position.
Coordinates Unflattened(KernelBuilder& b, Value* flat, const Shape& shape, size_t first, size_t last) {
  Coordinates at;
  for (size_t d = first; d < last; ++d) {
    const int64_t below = PositionsOfAxes(shape, d + 1, last);
    Value* position = b.Div(flat, below);
    at.push_back(At(d == first ? position : b.Mod(position, shape[d])));
  }
  return at;
}

// Number of leading (or trailing) dimensions that are the same in both shapes, while the rest holds equally many
// elements.
size_t CommonPrefix(const Shape& a, const Shape& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}
size_t CommonSuffix(const Shape& a, const Shape& b, size_t prefix) {
  size_t n = 0;
  while (n + prefix < a.size() && n + prefix < b.size() && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  return n;
}

Value* Reshape(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const Shape &to = call.type->shape, &from = TensorTypeOf(call.args[0]).shape;
  if (const OperandAccess* flat = e.FlatOperand(call.args[0])) {
    return LoadFlat(b, *flat, Flattened(b, at, to, 0, to.size()), lanes);
  }
  const size_t prefix = CommonPrefix(from, to), suffix = CommonSuffix(from, to, prefix);
  const Coordinate middle = Flattened(b, at, to, prefix, to.size() - suffix);
  if (middle.step != 0) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return Reshape(e, call, one, kScalar); });
  }
  Coordinates source(at.begin(), at.begin() + static_cast<int64_t>(prefix));
  const Coordinates inner = Unflattened(b, middle.base, from, prefix, from.size() - suffix);
  source.insert(source.end(), inner.begin(), inner.end());
  source.insert(source.end(), at.end() - static_cast<int64_t>(suffix), at.end());
  return e.Eval(call.args[0], source, lanes);
}

Value* Transpose(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  std::vector<int64_t> axes = call.attrs.GetInts("axes");
  const auto rank = static_cast<int64_t>(at.size());
  for (int64_t d = rank; axes.size() < at.size() && d-- > 0;) axes.push_back(d);
  Coordinates from(at.size());
  for (size_t d = 0; d < at.size(); ++d) Nth(from, (axes[d] + rank) % rank) = at[d];
  return e.Eval(call.args[0], from, lanes);
}

// Begin of a slice by numpy's rule: negative counts from the back, positions outside are clipped.
int64_t SliceBegin(int64_t begin, int64_t step, int64_t extent) {
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  return std::clamp(begin < 0 ? begin + extent : begin, low, high);
}

Value* StridedSlice(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto begin = call.attrs.GetInts("begin"), steps = call.attrs.GetInts("strides");
  auto axes = call.attrs.GetInts("axes");
  for (size_t d = axes.size(); d < begin.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  const Shape& shape = TensorTypeOf(call.args[0]).shape;
  Coordinates from = at;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i] < 0 ? axes[i] + static_cast<int64_t>(shape.size()) : axes[i]);
    const int64_t step = steps.empty() ? 1 : steps[i];
    // A stride that is taken only once may be anything, and could overflow.
    const Coordinate moved = call.type->shape[d] > 1 ? Scaled(e.b(), from[d], step) : At(e.b(), 0);
    from[d] = Shifted(e.b(), moved, SliceBegin(begin[i], step, shape[d]));
  }
  return e.Eval(call.args[0], from, lanes);
}

Value* BroadcastTo(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const Shape& from = TensorTypeOf(call.args[0]).shape;
  Coordinates source(at.end() - static_cast<int64_t>(from.size()), at.end());
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1) source[d] = At(e.b(), 0);
  }
  return e.Eval(call.args[0], source, lanes);
}

// The elements of `indices` for the lanes. Empty if they are not known here, or if the data's blocks are not read as a
// whole.
std::vector<int64_t> KnownIndices(const relay::Call& call, const Coordinate& at, Lanes lanes) {
  const relay::Constant* indices = relay::AsConstant(call.args[1]);
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(at.base);
  if (indices == nullptr || first == nullptr || at.step != 1 || indices->value.shape().size() != 1 ||
      indices->value.dtype() != DType::kInt64)
    return {};
  const int64_t* from = indices->value.data<int64_t>() + first->getSExtValue();
  std::vector<int64_t> known(from, from + lanes.valid);
  const bool safe = std::all_of(known.begin(), known.end(), [&](int64_t index) {
    return index >= 0 && index < Nth(TensorTypeOf(call.args[0]).shape, call.attrs.GetInt("axis"));
  });
  return safe ? known : std::vector<int64_t>();
}

// Reads vectors of the data's blocks and moves their lanes to their places.
Value* GatheredBlocks(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes,
                      const std::vector<int64_t>& indices, int64_t block) {
  KernelBuilder& b = e.b();
  const auto axis = static_cast<size_t>(call.attrs.GetInt("axis"));
  Value* result = nullptr;
  std::vector<int64_t> blocks;
  blocks.reserve(indices.size());
  for (const int64_t index : indices) blocks.push_back(index / block);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const int64_t source : blocks) {
    Coordinates from = at;
    from[axis] = {b.Index(source * block), 1, b.Index(source), block};
    const int width = static_cast<int>(block);
    std::vector<int> pick(static_cast<size_t>(lanes.count), llvm::PoisonMaskElem), merge = pick;
    for (size_t l = 0; l < merge.size(); ++l) {
      const bool here = l < indices.size() && indices[l] / block == source;
      if (here) pick[l] = static_cast<int>(indices[l] % block);
      merge[l] = static_cast<int>(here ? l + merge.size() : l);
    }
    Value* part = b.ir().CreateShuffleVector(e.Eval(call.args[0], from, {width, width}), llvm::ArrayRef<int>(pick));
    result = result ? b.ir().CreateShuffleVector(result, part, llvm::ArrayRef<int>(merge)) : part;
  }
  return result;
}

// Lanes at positions of their own; null if they are better read one by one.
Value* TakenByPlaces(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes, size_t axis) {
  const relay::Type &data = TensorTypeOf(call.args[0]), &indices = TensorTypeOf(call.args[1]);
  const auto first = at.begin() + static_cast<int64_t>(axis);
  const auto last = first + static_cast<int64_t>(indices.shape.size());
  if (hone::IsFloat(indices.dtype) || !ReadsByPlaces(e, call.args[0], lanes)) return nullptr;
  Coordinates from(at.begin(), first);
  from.push_back(PlacesAt(e, call.args[1], Coordinates(first, last), lanes, data.shape[axis]));
  from.insert(from.end(), last, at.end());
  return e.Eval(call.args[0], from, lanes);
}

Value* Take(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const relay::Type& type = TensorTypeOf(call.args[0]);
  const int64_t block = type.layout.empty() ? 0 : Layout::Parse(type.layout).axes().back().block;
  if (block > 1 && call.attrs.GetInt("axis") == 1) {
    const std::vector<int64_t> known = KnownIndices(call, at[1], lanes);
    if (!known.empty()) return GatheredBlocks(e, call, at, lanes, known, block);
  }
  const Shape& data = TensorTypeOf(call.args[0]).shape;
  const size_t rank = TensorTypeOf(call.args[1]).shape.size(), axis = NamedAxis(call, "axis", 0, data.size());
  const auto first = at.begin() + static_cast<int64_t>(axis), last = first + static_cast<int64_t>(rank);
  const Coordinates picked(first, last);
  if (Varies(picked)) {
    if (Value* taken = TakenFromWindows(e, call, at, lanes)) return taken;
    if (Value* taken = TakenByPlaces(e, call, at, lanes, axis)) return taken;
    return e.PerLane(lanes, at, call.type->dtype, [&](const Coordinates& one) { return Take(e, call, one, kScalar); });
  }
  Coordinates from(at.begin(), first);
  Value* index = e.Eval(call.args[1], picked, kScalar);
  from.push_back(At(HasPlainPositions(call) ? index : SafeIndex(e.b(), index, data[axis])));
  from.insert(from.end(), last, at.end());
  return e.Eval(call.args[0], from, lanes);
}

// The element of a constant border, in each lane of `value`.
Value* BorderLike(Evaluator& e, const relay::Call& pad, Value* value) {
  const double border = pad.attrs.GetFloat("pad_value", 0);
  const DType dtype = pad.type->dtype;
  if (!IsFloat(dtype) || IsFloat(value)) return Like(value, border);
  Value* wide = llvm::ConstantFP::get(value->getType()->getWithNewType(e.b().f32()), border);
  return Converted(e.b(), wide, DType::kFloat32, dtype);
}

Value* Pad(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const auto width = call.attrs.GetInts("pad_width");
  const std::string mode = call.attrs.GetString("pad_mode", "constant");
  const Shape& data = TensorTypeOf(call.args[0]).shape;
  Coordinates from = at;
  if (e.padded == &call) {
    for (size_t d = 0; d < at.size(); ++d) {
      if (width[2 * d] != 0) from[d] = Shifted(b, at[d], -width[2 * d]);
    }
    return e.Eval(call.args[0], from, lanes);
  }
  Value* inside = nullptr;
  for (size_t d = 0; d < at.size(); ++d) {
    if (width[2 * d] == 0 && width[2 * d + 1] == 0) continue;
    if (at[d].step != 0) {
      return e.PerLane(lanes, at, call.type->dtype, [&](const Coordinates& one) { return Pad(e, call, one, kScalar); });
    }
    Value* position = b.Add(at[d].base, -width[2 * d]);
    Value *zero = b.Index(0), *end = b.Index(data[d] - 1);
    Value* clamped = b.Min(b.Max(position, zero), end);
    if (mode == "reflect") {
      // Only one border is exceeded at a time, so the mirrors do not overlap.
      Value* mirrored = b.Max(position, b.Sub(zero, position));
      clamped = b.Min(mirrored, b.Sub(b.Index(2 * (data[d] - 1)), mirrored));
      clamped = b.Max(clamped, zero);
    }
    Value* here = b.ir().CreateICmpEQ(position, clamped);
    inside = inside ? b.ir().CreateAnd(inside, here) : here;
    from[d] = At(clamped);
  }
  Value* value = e.Eval(call.args[0], from, lanes);
  if (mode != "constant" || !inside) return value;
  return b.ir().CreateSelect(inside, value, BorderLike(e, call, value));
}

// For concatenations that are not cut into pieces: evaluates every field at coordinates clamped to it, then selects
// one.
Value* ChosenField(Evaluator& e, const std::vector<relay::ExprPtr>& fields, size_t axis, const Coordinates& at,
                   Lanes lanes) {
  KernelBuilder& b = e.b();
  Value* result = nullptr;
  int64_t begin = 0;
  for (const auto& field : fields) {
    const int64_t extent = TensorTypeOf(field).shape[axis];
    if (extent == 0) continue;
    Coordinates from = at;
    Value* position = b.Add(at[axis].base, -begin);
    from[axis] = At(b.Min(b.Max(position, b.Index(0)), b.Index(extent - 1)));
    Value* value = e.Eval(field, from, lanes);
    Value* past = b.ir().CreateICmpSGE(position, b.Index(0));
    result = result ? b.ir().CreateSelect(past, value, result) : value;
    begin += extent;
  }
  return result;
}

Value* Concatenate(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto fields = FlatArgs(call);
  const size_t axis = NamedAxis(call, "axis", 0, at.size());
  if (const auto known = e.FieldOf(&call)) {
    int64_t begin = 0;
    for (int i = 0; i < *known; ++i) begin += TensorTypeOf(Nth(fields, i)).shape[axis];
    Coordinates from = at;
    from[axis] = Shifted(e.b(), at[axis], -begin);
    return e.Eval(Nth(fields, *known), from, lanes);
  }
  if (at[axis].step == 0) return ChosenField(e, fields, axis, at, lanes);
  return e.PerLane(lanes, at, call.type->dtype,
                   [&](const Coordinates& one) { return ChosenField(e, fields, axis, one, kScalar); });
}

// Coordinates are logical; the layouts of argument and result do the rest.
Value* LayoutTransform(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return e.Eval(call.args[0], at, lanes);
}

Value* SplitItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  const int64_t given = call.attrs.GetInt("axis", 0);
  const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(at.size()) : given);
  int64_t begin = 0;
  for (int i = 0; i < item; ++i) begin += Nth(call.type->fields, i)->shape[axis];
  Coordinates from = at;
  from[axis] = Shifted(e.b(), from[axis], begin);
  return e.Eval(call.args[0], from, lanes);
}

}  // namespace

EmitterTable MovementEmitters() {
  return {{"reshape", Reshape},          {"squeeze", Reshape},     {"expand_dims", Reshape},
          {"nn.batch_flatten", Reshape}, {"transpose", Transpose}, {"strided_slice", StridedSlice},
          {"broadcast_to", BroadcastTo}, {"take", Take},           {"nn.pad", Pad},
          {"concatenate", Concatenate},  {"split", SplitItem},     {"layout_transform", LayoutTransform},
          {"first_positions", Reshape}};
}

}  // namespace hone
