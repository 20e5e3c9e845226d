#include "compiler/frontend/onnx/count_join.h"

#include <utility>
#include <vector>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

// The fields with one dimension along each axis but the joined one.
std::vector<ExprPtr> WithOneShape(TypedBuilder& builder, std::vector<ExprPtr> values, int64_t except) {
  const auto rank = static_cast<int64_t>(builder.ShapeOf(values[0]).size());
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis == except || axis == except + rank) continue;
    values = WithOneDim(builder, std::move(values), std::vector<int64_t>(values.size(), axis));
  }
  return values;
}

// The counts that all fields share, except along `axis`. A run fails if they differ.
Counts Shared(TypedBuilder& builder, const std::vector<ExprPtr>& fields, int64_t axis) {
  Counts counts(builder.ShapeOf(fields[0]).size());
  for (const ExprPtr& field : fields) {
    const Counts& more = builder.CountsOf(field);
    for (size_t d = 0; d < more.size(); ++d) {
      if (static_cast<int64_t>(d) != axis && more[d] != nullptr) counts[d] = more[d];
    }
  }
  for (const ExprPtr& field : fields) {
    for (size_t d = 0; d < counts.size(); ++d) {
      if (static_cast<int64_t>(d) == axis || counts[d] == nullptr) continue;
      builder.RequireEqual(counts[d], ExtentOf(builder, field, static_cast<int64_t>(d)));
    }
  }
  return counts;
}

// The data keep their bound; a run that would leave it fails.
ExprPtr Appended(TypedBuilder& builder, const ExprPtr& data, const ExprPtr& rows, int64_t axis) {
  const ExprPtr before = ExtentOf(builder, data, axis);
  const ExprPtr joined = WithRows(builder, data, rows, axis, before);
  Counts counts = Shared(builder, {data, rows}, axis);
  Nth(counts, axis) = builder.Call("add", {before, ExtentOf(builder, rows, axis)});
  builder.RequireCount(Nth(counts, axis), Nth(builder.ShapeOf(data), axis));
  builder.SetCounts(joined, std::move(counts));
  return joined;
}

}  // namespace

ExprPtr WithRows(TypedBuilder& builder, const ExprPtr& data, const ExprPtr& rows, int64_t axis,
                 const ExprPtr& positions, int64_t extent) {
  const ExprPtr result =
      builder.Uncounted("append_rows", {data, rows, positions, ExtentOf(builder, rows, axis)},
                        {{"axis", axis}, {"extent", extent == Nth(builder.ShapeOf(data), axis) ? 0 : extent}});
  Counts counts = builder.CountsOf(data);
  if (!counts.empty()) Nth(counts, axis) = nullptr;
  builder.SetCounts(result, std::move(counts));
  return result;
}

// Element p of the result is p in the concatenated fields, shifted by the elements that are missing before it:
//
//    end to end   a a . . b b b .     a: 2 of 4, b: 3 of 4
//    result       a a b b b . . .     p >= 2 is read from p + (4 - 2)
ExprPtr JoinCounted(TypedBuilder& builder, const ExprPtr& tuple, int64_t axis) {
  const std::vector<ExprPtr>& given = relay::AsTuple(tuple)->fields;
  const int64_t from_front = axis < 0 ? axis + static_cast<int64_t>(builder.ShapeOf(given[0]).size()) : axis;
  if (given.size() == 2 && builder.Appends(given[0], from_front) && IsCounted(builder, given[0], from_front)) {
    return Appended(builder, given[0], given[1], from_front);
  }
  const relay::Attrs attrs{{"axis", axis}};
  const std::vector<ExprPtr> fields = WithOneShape(builder, relay::AsTuple(tuple)->fields, axis);
  const ExprPtr ends_meet = builder.UncountedOnTuple("concatenate", fields, attrs);
  const Shape shape = builder.ShapeOf(ends_meet);
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  Counts counts = Shared(builder, fields, axis);
  ExprPtr places = Positions(Nth(shape, axis), 0, 1), total = CountOf(0);
  const ExprPtr positions = places;
  bool moves = false, is_counted = false;
  for (size_t i = 0; i < fields.size(); ++i) {
    const ExprPtr& field = fields[i];
    const ExprPtr extent = ExtentOf(builder, field, axis);
    total = builder.Call("add", {total, extent});
    const bool counted = IsCounted(builder, field, axis);
    is_counted = is_counted || counted;
    if (!counted || i + 1 == fields.size()) continue;
    moves = true;
    const ExprPtr missing = builder.Call("subtract", {CountOf(Nth(builder.ShapeOf(field), axis)), extent});
    const ExprPtr behind = builder.Call("greater_equal", {positions, total});
    places = builder.Call("add", {places, builder.Call("where", {behind, missing, CountOf(0)})});
  }
  Nth(counts, axis) = is_counted ? total : nullptr;
  ExprPtr joined = ends_meet;
  if (moves) {
    places = builder.Call("minimum", {places, CountOf(Nth(shape, axis) - 1)});
    joined = builder.Uncounted("take", {ends_meet, places}, {{"axis", axis}});
  }
  builder.SetCounts(joined, std::move(counts));
  return joined;
}

}  // namespace hone
