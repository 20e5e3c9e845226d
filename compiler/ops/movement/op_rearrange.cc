// Operators whose elements are elements of their input, in another order or number.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

std::vector<int64_t> Permutation(const Attrs& attrs, size_t rank) {
  std::vector<int64_t> axes = attrs.GetInts("axes");
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.rbegin(), axes.rend(), 0);
  }
  if (axes.size() != rank) Misfit(fmt::format("axes = {} must name each of {} axes once", ToText(axes), rank));
  NormalizedAxes(axes, rank);
  for (int64_t& axis : axes) axis = NormalizedAxis(axis, rank);
  return axes;
}

std::vector<int64_t> Permuted(const std::vector<int64_t>& values, const std::vector<int64_t>& axes) {
  std::vector<int64_t> result;
  result.reserve(axes.size());
  for (int64_t axis : axes) result.push_back(Nth(values, axis));
  return result;
}

TypePtr TransposeType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  return TensorType(Permuted(data.shape, Permutation(attrs, data.shape.size())), data.dtype);
}

Tensors Transpose(const Tensors& args, const Attrs& attrs) {
  const Shape& from = args[0].shape();
  const std::vector<int64_t> axes = Permutation(attrs, from.size());
  const Shape shape = Permuted(from, axes);
  return {Gather(args[0], shape, OffsetWalk(shape, Permuted(RowMajorStrides(from), axes)))};
}

// The part of one axis that a slice takes.
struct Range {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// numpy's rule: negative ends count from the end, and positions outside are cut off.
Range Resolved(int64_t begin, int64_t end, int64_t step, int64_t extent) {
  if (step == 0 || step == std::numeric_limits<int64_t>::min()) Misfit("a slice's stride cannot be 0");
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? extent : extent - 1;
  const auto placed = [&](int64_t at) { return std::clamp(at < 0 ? at + extent : at, low, high); };
  const int64_t from = placed(begin);
  const int64_t distance = step > 0 ? placed(end) - from : from - placed(end);
  const int64_t size = step > 0 ? step : -step;
  return {from, step, distance <= 0 ? 0 : (distance - 1) / size + 1};
}

struct Slice {
  std::vector<int64_t> begin, end, strides, axes;
};

Slice SliceOf(const Attrs& attrs, size_t rank) {
  Slice slice{attrs.GetInts("begin"), attrs.GetInts("end"), attrs.GetInts("strides"), attrs.GetInts("axes")};
  if (slice.axes.empty()) {
    slice.axes.resize(slice.begin.size());
    std::iota(slice.axes.begin(), slice.axes.end(), 0);
  }
  if (slice.strides.empty()) slice.strides.assign(slice.begin.size(), 1);
  const size_t count = slice.axes.size();
  if (slice.begin.size() != count || slice.end.size() != count || slice.strides.size() != count) {
    Misfit(fmt::format("begin = {}, end = {} and axes = {} must be equally long", ToText(slice.begin),
                       ToText(slice.end), ToText(slice.axes)));
  }
  NormalizedAxes(slice.axes, rank);
  for (int64_t& axis : slice.axes) axis = NormalizedAxis(axis, rank);
  return slice;
}

// One range per axis of the data. A range over an unknown extent has the count kAnyDim.
std::vector<Range> Ranges(const Shape& shape, const Attrs& attrs) {
  std::vector<Range> ranges;
  for (int64_t extent : shape) ranges.push_back({0, 1, extent});
  const Slice slice = SliceOf(attrs, shape.size());
  for (size_t i = 0; i < slice.axes.size(); ++i) {
    Range& range = Nth(ranges, slice.axes[i]);
    if (range.count != kAnyDim) range = Resolved(slice.begin[i], slice.end[i], slice.strides[i], range.count);
  }
  return ranges;
}

Shape CountsOf(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& range : ranges) shape.push_back(range.count);
  return shape;
}

TypePtr SliceType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  return TensorType(CountsOf(Ranges(data.shape, attrs)), data.dtype);
}

Tensors StridedSlice(const Tensors& args, const Attrs& attrs) {
  const std::vector<Range> ranges = Ranges(args[0].shape(), attrs);
  std::vector<int64_t> strides = RowMajorStrides(args[0].shape());
  int64_t base = 0;
  for (size_t d = 0; d < ranges.size(); ++d) {
    base += ranges[d].begin * strides[d];
    // A stride that is taken at most once may have any value, and could overflow.
    strides[d] = ranges[d].count > 1 ? strides[d] * ranges[d].step : 0;
  }
  const Shape shape = CountsOf(ranges);
  return {Gather(args[0], shape, OffsetWalk(shape, strides, base))};
}

Shape TakenShape(const Shape& data, const Shape& indices, int64_t axis) {
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return shape;
}

TypePtr TakeType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const Type& indices = RowMajorArg(args, 1, "indices");
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), data.shape.size());
  return TensorType(TakenShape(data.shape, indices.shape, axis), data.dtype);
}

Tensors Take(const Tensors& args, const Attrs& attrs) {
  const Shape& from = args[0].shape();
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), from.size());
  const AxisView view = ViewAxis(from, axis);
  Tensor result(args[0].dtype(), TakenShape(from, args[1].shape(), axis));
  const int64_t slice_bytes = view.inner * DTypeBytes(result.dtype());
  auto* to = static_cast<char*>(result.raw());
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < args[1].elements(); ++i) {
      const auto index = static_cast<int64_t>(args[1].At(i));
      if (index < -view.extent || index >= view.extent) {
        Misfit(fmt::format("index {} lies outside an axis of {} elements", index, view.extent));
      }
      const int64_t slice = o * view.extent + (index < 0 ? index + view.extent : index);
      if (slice_bytes > 0)
        std::memcpy(to, static_cast<const char*>(args[0].raw()) + slice * slice_bytes,
                    static_cast<size_t>(slice_bytes));
      to += slice_bytes;
    }
  }
  return {result};
}

TypePtr BroadcastToType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const Shape shape = attrs.GetInts("shape");
  for (int64_t dim : shape) {
    if (dim < 0) Misfit(fmt::format("shape = {} must not be negative", ToText(shape)));
  }
  if (BroadcastShapes(data.shape, shape) != shape) {
    Misfit(fmt::format("data {} does not broadcast to {}", ToText(args[0]), ToText(shape)));
  }
  return TensorType(shape, data.dtype);
}

Tensors BroadcastTo(const Tensors& args, const Attrs& attrs) {
  const Shape shape = attrs.GetInts("shape");
  return {Gather(args[0], shape, OffsetWalk::Broadcast(args[0].shape(), shape))};
}

OpDef Rearranging(std::string name, std::string description, int level, std::vector<AttrSpec> attrs) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", kAnyElement}};
  def.attrs = std::move(attrs);
  def.support_level = level;
  def.pattern = OpPattern::kInjective;
  def.layout = LayoutRule::kNative;
  return def;
}

AttrSpec Ints(std::string name, std::string description) {
  return {std::move(name), AttrKind::kInts, std::vector<int64_t>{}, std::move(description)};
}

}  // namespace

OpTable RearrangeOps() {
  OpDef transpose = Rearranging("transpose", "data with its axes in another order", 3,
                                {Ints("axes", "result axis d is data axis axes[d]; none given reverses them")});
  transpose.traits = {.moves = true, .homogeneous = true, .heads = true};
  transpose.type_relation = TransposeType;
  transpose.reference = Transpose;

  OpDef slice =
      Rearranging("strided_slice", "a part of data, by numpy's rules", 4,
                  {Ints("begin", "first element, one per axis"), Ints("end", "past the last, one per axis"),
                   Ints("strides", "steps; none given means 1"), Ints("axes", "none given means the first ones")});
  slice.traits.moves = true;
  slice.type_relation = SliceType;
  slice.reference = StridedSlice;

  OpDef take = Rearranging("take", "slices of data along an axis, picked by indices; negative ones count from the back",
                           3, {{"axis", AttrKind::kInt, int64_t{0}, "the axis that is indexed"}});
  take.inputs.push_back({"indices", "any shape", kIndices});
  take.traits = {.moves = true, .per_image = true};
  take.type_relation = TakeType;
  take.reference = Take;

  OpDef broadcast =
      Rearranging("broadcast_to", "data repeated along axes, by numpy's rules", 4, {Ints("shape", "of the result")});
  broadcast.pattern = OpPattern::kBroadcast;
  broadcast.type_relation = BroadcastToType;
  broadcast.reference = BroadcastTo;
  return {transpose, slice, take, broadcast};
}

}  // namespace hone::relay
