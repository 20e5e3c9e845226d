// Rows written behind those that are there: how a cache of keys or values grows.
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

Shape AppendedShape(const Shape& data, const Attrs& attrs) {
  Shape shape = data;
  const int64_t extent = attrs.GetInt("extent");
  if (extent > 0) Nth(shape, attrs.GetInt("axis")) = extent;
  return shape;
}

TypePtr AppendRowsType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type &data = RowMajorArg(args, 0, "data"), &rows = RowMajorArg(args, 1, "rows");
  const Shape &positions = RowMajorArg(args, 2, "positions").shape, &count = RowMajorArg(args, 3, "count").shape;
  const int64_t axis = attrs.GetInt("axis");
  if (axis < 0 || axis >= static_cast<int64_t>(data.shape.size())) {
    Misfit(fmt::format("axis {} of data {}", axis, ShapeText(data.shape)));
  }
  Shape expected = data.shape;
  if (rows.shape.size() == expected.size()) Nth(expected, axis) = Nth(rows.shape, axis);
  if (rows.shape != expected) Misfit(fmt::format("rows {} for data {}", ShapeText(rows.shape), ShapeText(data.shape)));
  const bool per_image = axis > 0 && positions == Shape{data.shape[0]};
  if (ElementCount(positions) != 1 && !per_image) Misfit(fmt::format("positions are {}", ShapeText(positions)));
  if (ElementCount(count) != 1) Misfit(fmt::format("count is {}, it must be one number", ShapeText(count)));
  const Shape shape = AppendedShape(data.shape, attrs);
  if (Nth(shape, axis) < Nth(data.shape, axis)) Misfit(fmt::format("extent {} is less than the data's", shape[axis]));
  return TensorType(shape, data.dtype);
}

// Copies rows of `bytes` each to the positions from `first` on; those outside of the result are left out.
void PutRows(const char* rows, int64_t count, int64_t first, int64_t extent, int64_t bytes, char* to) {
  for (int64_t i = std::max<int64_t>(0, -first); i < count && first + i < extent; ++i) {
    std::memcpy(to + (first + i) * bytes, rows + i * bytes, static_cast<size_t>(bytes));
  }
}

Tensors AppendRows(const Tensors& args, const Attrs& attrs) {
  const Tensor &data = args[0], &rows = args[1];
  const int64_t axis = attrs.GetInt("axis");
  Tensor result(data.dtype(), AppendedShape(data.shape(), attrs));
  const AxisView from = ViewAxis(data.shape(), axis), more = ViewAxis(rows.shape(), axis);
  const int64_t extent = Nth(result.shape(), axis), bytes = from.inner * DTypeBytes(data.dtype());
  const int64_t count = std::clamp<int64_t>(IntegerAt(args[3], 0), 0, more.extent);
  const int64_t lines_per_position = std::max<int64_t>(1, from.outer / std::max<int64_t>(1, args[2].elements()));
  for (int64_t line = 0; bytes > 0 && line < from.outer; ++line) {
    char* const to = static_cast<char*>(result.raw()) + line * extent * bytes;
    const int64_t first = IntegerAt(args[2], line / lines_per_position);
    const int64_t kept = attrs.GetBool("ends") ? std::clamp<int64_t>(first, 0, from.extent) : from.extent;
    PutRows(static_cast<const char*>(data.raw()) + line * from.extent * bytes, kept, 0, extent, bytes, to);
    PutRows(static_cast<const char*>(rows.raw()) + line * more.extent * bytes, count, first, extent, bytes, to);
  }
  return {result};
}

}  // namespace

OpTable AppendOps() {
  OpDef def;
  def.name = "append_rows";
  def.description = "the data with the first rows of others from a position on; those that would leave it are left out";
  def.inputs = {{"data", "any shape", kAnyElement},
                {"rows", "the data's shape but along the axis", ElementRule::Like(0)},
                {"positions", "of the first row: one number, or one per image", DType::kInt64},
                {"count", "the number of rows", DType::kInt64}};
  def.attrs = {{"axis", AttrKind::kInt, int64_t{0}, "the axis along which rows follow each other", true},
               {"extent", AttrKind::kInt, int64_t{0}, "the result's dimension along the axis; 0: the data's"},
               {"in_place", AttrKind::kBool, false, "the result lies where the data do, so that these stay unread"},
               {"ends", AttrKind::kBool, false, "zeros follow the new rows, instead of the data from the position on"}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = AppendRowsType;
  def.reference = AppendRows;
  return {def};
}

}  // namespace hone::relay
