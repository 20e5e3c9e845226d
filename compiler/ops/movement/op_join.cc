// Operators between one tensor and several: concatenate and split.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

// Adds `next` to the shape so far. All extents must be equal except along the axis, where they add up.
void Join(Shape& shape, const Shape& next, size_t axis) {
  bool fits = next.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    if (d != axis) {
      fits = DimsFit(shape[d], next[d]);
      shape[d] = std::max(shape[d], next[d]);  // a known dim is larger than kAnyDim
    } else {
      shape[d] = shape[d] == kAnyDim || next[d] == kAnyDim ? kAnyDim : shape[d] + next[d];
    }
  }
  if (!fits) Misfit(fmt::format("a field of shape {} does not join the others along axis {}", ShapeText(next), axis));
}

TypePtr ConcatenateType(const Types& args, const Attrs& attrs) {
  if (args[0] == nullptr || args[0]->kind != TypeKind::kTuple || args[0]->fields.empty()) {
    Misfit(fmt::format("data is {}, it must be a tuple of tensors", ToText(args[0])));
  }
  const Types& fields = args[0]->fields;
  const Type& first = TensorArg(fields, 0, "field 0");
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.GetInt("axis"), first.shape.size()));
  Shape shape = first.shape;
  for (size_t i = 1; i < fields.size(); ++i) {
    const Type& field = TensorArg(fields, i, fmt::format("field {}", i));
    if (field.dtype != first.dtype || field.layout != first.layout) {
      Misfit(fmt::format("field {} is {}, field 0 is {}", i, ToText(fields[i]), ToText(fields[0])));
    }
    Join(shape, field.shape, axis);
  }
  return TensorType(std::move(shape), first.dtype, first.layout);
}

// Copies [outer][extent][inner] from one position to another, between tensors with different extents of the axis.
void CopyAlongAxis(const Tensor& from, int64_t from_at, Tensor& to, int64_t to_at, int64_t count, int64_t axis) {
  const AxisView source = ViewAxis(from.shape(), axis);
  const AxisView target = ViewAxis(to.shape(), axis);
  const int64_t step_bytes = source.inner * DTypeBytes(from.dtype());
  const auto* read = static_cast<const char*>(from.raw());
  auto* write = static_cast<char*>(to.raw());
  for (int64_t o = 0; o < source.outer; ++o) {
    std::memcpy(write + (o * target.extent + to_at) * step_bytes, read + (o * source.extent + from_at) * step_bytes,
                static_cast<size_t>(count * step_bytes));
  }
}

Tensors Concatenate(const Tensors& fields, const Attrs& attrs) {
  Shape shape = fields[0].shape();
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), shape.size());
  const auto along = static_cast<size_t>(axis);
  for (size_t i = 1; i < fields.size(); ++i) Join(shape, fields[i].shape(), along);
  Tensor result(fields[0].dtype(), shape);
  int64_t at = 0;
  for (const Tensor& field : fields) {
    const int64_t extent = field.shape()[along];
    CopyAlongAxis(field, 0, result, at, extent, axis);
    at += extent;
  }
  return {result};
}

std::vector<int64_t> EqualCuts(int64_t sections, int64_t extent) {
  if (sections < 1 || sections > extent || extent % sections != 0) {
    Misfit(fmt::format("an axis of {} does not split into {} equal parts", extent, sections));
  }
  std::vector<int64_t> cuts;
  for (int64_t i = 0; i <= sections; ++i) cuts.push_back(i * (extent / sections));
  return cuts;
}

// The start of each part, and the extent at the end.
std::vector<int64_t> Cuts(const Attrs& attrs, int64_t extent) {
  std::vector<int64_t> cuts = attrs.GetInts("indices_or_sections");
  if (cuts.size() == 1) return EqualCuts(cuts[0], extent);
  if (cuts.empty() || cuts[0] != 0) cuts.insert(cuts.begin(), 0);
  for (size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] < cuts[i - 1] || cuts[i] > extent) {
      Misfit(fmt::format("indices_or_sections = {} must rise within an axis of {}",
                         ToText(attrs.GetInts("indices_or_sections")), extent));
    }
  }
  cuts.push_back(extent);
  return cuts;
}

TypePtr SplitType(const Types& args, const Attrs& attrs) {
  const Type& data = RowMajorArg(args, 0, "data");
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.GetInt("axis"), data.shape.size()));
  if (data.shape[axis] == kAnyDim) Misfit("the axis to split must be known");
  const std::vector<int64_t> cuts = Cuts(attrs, data.shape[axis]);
  Types fields;
  for (size_t i = 1; i < cuts.size(); ++i) {
    Shape shape = data.shape;
    shape[axis] = cuts[i] - cuts[i - 1];
    fields.push_back(TensorType(std::move(shape), data.dtype));
  }
  return TupleType(std::move(fields));
}

Tensors Split(const Tensors& args, const Attrs& attrs) {
  Shape shape = args[0].shape();
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis"), shape.size());
  const std::vector<int64_t> cuts = Cuts(attrs, Nth(shape, axis));
  Tensors parts;
  for (size_t i = 1; i < cuts.size(); ++i) {
    Nth(shape, axis) = cuts[i] - cuts[i - 1];
    Tensor part(args[0].dtype(), shape);
    CopyAlongAxis(args[0], cuts[i - 1], part, 0, cuts[i] - cuts[i - 1], axis);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

OpTable JoinOps() {
  OpDef join;
  join.name = "concatenate";
  join.description = "the fields of a tuple one after the other along an axis";
  join.inputs = {{"data", "a tuple of tensors that differ in the axis alone", kAnyElement}};
  join.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis along which they lie"}};
  join.support_level = 1;
  join.pattern = OpPattern::kInjective;
  join.layout = LayoutRule::kNCHWc;
  join.traits.per_image = true;
  join.type_relation = ConcatenateType;
  join.reference = Concatenate;

  OpDef split;
  split.name = "split";
  split.description = "a tuple of the parts of data along an axis";
  split.inputs = {{"data", "any shape", kAnyElement}};
  split.results = {{"part", ElementRule::Like(0)}};
  split.attrs = {
      {"indices_or_sections", AttrKind::kInts, std::vector<int64_t>{1},
       "one number: so many equal parts; several: where the second and later parts begin. The first part's 0 "
       "may be written, and is when there is one cut"},
      {"axis", AttrKind::kInt, int64_t{0}, "the axis that is cut"}};
  split.support_level = 3;
  split.pattern = OpPattern::kInjective;
  split.layout = LayoutRule::kNative;
  split.type_relation = SplitType;
  split.reference = Split;
  return {join, split};
}

}  // namespace hone::relay
