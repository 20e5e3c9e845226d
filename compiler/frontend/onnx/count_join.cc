#include "compiler/frontend/onnx/count_join.h"

#include <span>
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
    if (axis == except) continue;
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

namespace {

void CountAlong(TypedBuilder& builder, const ExprPtr& value, int64_t axis, const ExprPtr& count) {
  Counts counts(builder.ShapeOf(value).size());
  Nth(counts, axis) = count;
  builder.SetCounts(value, std::move(counts));
}

// Neighbours without a gap between their elements: each group has a counted extent in its last field alone.
std::vector<ExprPtr> WithoutGaps(TypedBuilder& builder, const std::vector<ExprPtr>& fields, int64_t axis) {
  std::vector<ExprPtr> groups, group;
  int64_t before = 0;
  for (const ExprPtr& field : fields) {
    group.push_back(field);
    const bool counted = IsCounted(builder, field, axis);
    if (!counted && &field != &fields.back()) {
      before += Nth(builder.ShapeOf(field), axis);
      continue;
    }
    groups.push_back(group.size() == 1 ? field : builder.UncountedOnTuple("concatenate", group, {{"axis", axis}}));
    if (counted && group.size() > 1) {
      CountAlong(builder, groups.back(), axis, builder.Call("add", {CountOf(before), ExtentOf(builder, field, axis)}));
    }
    group.clear();
    before = 0;
  }
  return groups;
}

// Halves first, so that few elements are copied more than once.
ExprPtr EndToEnd(TypedBuilder& builder, std::span<const ExprPtr> fields, int64_t axis) {
  if (fields.size() == 1) return fields[0];
  const size_t half = fields.size() / 2;
  const ExprPtr front = EndToEnd(builder, fields.first(half), axis);
  const ExprPtr back = EndToEnd(builder, fields.subspan(half), axis);
  const ExprPtr before = ExtentOf(builder, front, axis), more = ExtentOf(builder, back, axis);
  const int64_t most = Nth(builder.ShapeOf(front), axis) + Nth(builder.ShapeOf(back), axis);
  const ExprPtr joined =
      builder.Uncounted("append_rows", {front, back, before, more}, {{"axis", axis}, {"extent", most}, {"ends", true}});
  CountAlong(builder, joined, axis, builder.Call("add", {before, more}));
  return joined;
}

}  // namespace

ExprPtr JoinCounted(TypedBuilder& builder, const ExprPtr& tuple, int64_t axis) {
  const std::vector<ExprPtr>& given = relay::AsTuple(tuple)->fields;
  if (axis < 0) axis += static_cast<int64_t>(builder.ShapeOf(given[0]).size());
  if (given.size() == 2 && builder.Appends(given[0], axis) && IsCounted(builder, given[0], axis)) {
    return Appended(builder, given[0], given[1], axis);
  }
  const std::vector<ExprPtr> fields = WithOneShape(builder, given, axis);
  Counts counts = Shared(builder, fields, axis);
  const ExprPtr joined = EndToEnd(builder, WithoutGaps(builder, fields, axis), axis);
  if (IsCounted(builder, joined, axis)) Nth(counts, axis) = ExtentOf(builder, joined, axis);
  builder.SetCounts(joined, std::move(counts));
  return joined;
}

}  // namespace hone
