#include "compiler/frontend/onnx/count_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/op.h"
#include "compiler/relay/structural_equal.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

[[noreturn]] void RefuseCounted(const std::string& why) { throw Error(ExitCode::kBadData, why); }

// The arguments of a rule.
struct Ruled {
  TypedBuilder& builder;
  std::string_view op;
  const std::vector<ExprPtr>& args;
  const relay::Attrs& attrs;
  const Shape& result;  // empty for a tuple

  Counts Of(size_t i) const {
    Counts counts = builder.CountsOf(args[i]);
    if (counts.empty()) counts.resize(ShapeOf(i).size());
    return counts;
  }
  const Shape& ShapeOf(size_t i) const { return builder.ShapeOf(args[i]); }
  bool IsCounted(size_t i) const { return i < args.size() && !builder.CountsOf(args[i]).empty(); }
  int64_t Axis(const char* name, size_t rank) const {
    const int64_t axis = attrs.GetInt(name);
    return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  }
  ExprPtr Scalar(std::string_view with, const ExprPtr& count, int64_t number) const {
    return builder.Call(with, {count, CountOf(number)});
  }
  // Throws unless the argument's extent along the axis is known.
  void RequireKnown(size_t i, int64_t axis, const char* why) const {
    if (IsCounted(i) && Nth(Of(i), axis) != nullptr) {
      RefuseCounted(fmt::format("{} would have to {} axis {}, whose extent is counted in a run", op, why, axis));
    }
  }
  void RequireOnlyFirst() const {
    for (size_t i = 1; i < args.size(); ++i) {
      if (IsCounted(i)) RefuseCounted(fmt::format("{} takes no argument {} whose extent is counted in a run", op, i));
    }
  }
};

// The extent of two operands that must agree: both known (null), or both the same count.
ExprPtr Agreed(const Ruled& ruled, const ExprPtr& a, const ExprPtr& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  if (a == b || relay::StructuralEqual(a, b)) return a;
  RefuseCounted(fmt::format("{} of operands whose extents are counted apart from each other", ruled.op));
}

// An operand's dimension of 1 is repeated, so a count of at most 1 would decide whether it is repeated.
Counts Broadcast(const Ruled& ruled) {
  Counts counts(ruled.result.size());
  std::vector<bool> known(counts.size());
  for (size_t i = 0; i < ruled.args.size(); ++i) {
    const Shape& shape = ruled.ShapeOf(i);
    const Counts given = ruled.Of(i);
    const size_t lead = counts.size() - shape.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1 && ruled.result[lead + d] != 1) {
        if (given[d] != nullptr)
          RefuseCounted(fmt::format("{} would repeat an axis that may have no element", ruled.op));
        continue;
      }
      counts[lead + d] = Agreed(ruled, counts[lead + d], given[d]);
      known[lead + d] = known[lead + d] || (given[d] == nullptr && shape[d] > 1);
    }
  }
  // A count of 1 would be repeated if the other extent is known, and other counts would not match it.
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] == nullptr || !known[d]) continue;
    RefuseCounted(
        fmt::format("{} of an axis whose extent is counted in a run and one of {}", ruled.op, ruled.result[d]));
  }
  return counts;
}

// Images, rows and regions are computed independently.
Counts FirstAxis(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  Counts counts(ruled.result.size());
  const Counts given = ruled.Of(0);
  for (size_t d = 1; d < given.size(); ++d) ruled.RequireKnown(0, static_cast<int64_t>(d), "sum over");
  counts[0] = given[0];
  return counts;
}

Counts OfFirst(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  return ruled.Of(0);
}

Counts Reduced(const Ruled& ruled) {
  const Counts given = ruled.Of(0);
  const bool one = ruled.op == "argmax" || ruled.op == "argmin";
  const std::vector<int64_t> axes =
      one ? std::vector<int64_t>{ruled.Axis("axis", given.size())} : FoldedAxes(ruled.attrs, given.size());
  Counts counts;
  for (size_t d = 0; d < given.size(); ++d) {
    const bool folded = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d));
    if (!folded) counts.push_back(given[d]);
    if (folded && ruled.attrs.GetBool("keepdims")) counts.push_back(nullptr);
  }
  return counts;
}

Counts Transposed(const Ruled& ruled) {
  const Counts given = ruled.Of(0);
  std::vector<int64_t> axes = ruled.attrs.GetInts("axes");
  for (size_t d = given.size(); axes.size() < given.size();) axes.push_back(static_cast<int64_t>(--d));
  Counts counts;
  for (const int64_t axis : axes) {
    counts.push_back(Nth(given, axis < 0 ? axis + static_cast<int64_t>(given.size()) : axis));
  }
  return counts;
}

// Matches runs of old dimensions with runs of new ones that have as many elements.
//
//    (n, 4, 2) -> (n * 4, 2): runs n, 4 | 2 and n * 4 | 2. A count leads its run; the rest of the run multiplies it.
Counts Reshaped(const Ruled& ruled) {
  const Shape &from = ruled.ShapeOf(0), &to = ruled.result;
  const Counts given = ruled.Of(0);
  Counts counts(to.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    const size_t first = i, place = j;
    int64_t old_elements = i < from.size() ? from[i++] : 1, new_elements = j < to.size() ? to[j++] : 1;
    while (old_elements != new_elements) {
      if (old_elements < new_elements && i < from.size()) {
        old_elements *= from[i++];
      } else if (new_elements < old_elements && j < to.size()) {
        new_elements *= to[j++];
      } else {
        RefuseCounted(fmt::format("reshape of {} to {}", ShapeText(from), ShapeText(to)));
      }
    }
    // Dimensions of 1 may precede the leading one.
    size_t lead = first;
    while (lead + 1 < i && from[lead] == 1 && given[lead] == nullptr) ++lead;
    size_t into = place;
    while (into + 1 < j && to[into] == 1) ++into;
    for (size_t d = lead + 1; d < i; ++d) {
      if (given[d] != nullptr) {
        RefuseCounted(
            fmt::format("a reshape from {} to {} would mix an axis whose extent is counted in a run with those before "
                        "it",
                        ShapeText(from), ShapeText(to)));
      }
    }
    if (lead >= given.size() || given[lead] == nullptr) continue;
    if (into >= to.size()) RefuseCounted("a reshape would drop an axis whose extent is counted in a run");
    const int64_t before = from[lead], after = to[into];
    counts[into] = given[lead];
    if (before == after) continue;
    if (after % before != 0 && before % after != 0) {
      RefuseCounted(fmt::format("a reshape from {} to {} would cut an axis whose extent is counted in a run",
                                ShapeText(from), ShapeText(to)));
    }
    counts[into] = after > before ? ruled.Scalar("multiply", given[lead], after / before)
                                  : ruled.Scalar("divide", given[lead], before / after);
  }
  return counts;
}

// begin, begin + stride, ... of the valid elements.
Counts Sliced(const Ruled& ruled) {
  Counts counts = ruled.Of(0);
  const auto begin = ruled.attrs.GetInts("begin"), end = ruled.attrs.GetInts("end");
  std::vector<int64_t> strides = ruled.attrs.GetInts("strides"), axes = ruled.attrs.GetInts("axes");
  strides.resize(begin.size(), strides.size() == 1 ? strides[0] : 1);
  for (size_t i = axes.size(); i < begin.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < begin.size(); ++i) {
    ExprPtr& count = Nth(counts, axes[i]);
    if (count == nullptr) continue;
    if (begin[i] < 0 || end[i] < 0) RefuseCounted("a slice that counts from the end of what is counted in a run");
    const ExprPtr last = ruled.Scalar("minimum", count, end[i]);
    const ExprPtr left = ruled.Scalar("maximum", ruled.Scalar("subtract", last, begin[i]), 0);
    count = strides[i] == 1 ? left : ruled.Scalar("divide", ruled.Scalar("add", left, strides[i] - 1), strides[i]);
  }
  return counts;
}

Counts Taken(const Ruled& ruled) {
  const Counts data = ruled.Of(0), indices = ruled.Of(1);
  const int64_t axis = ruled.Axis("axis", data.size());
  Counts counts(data.begin(), data.begin() + axis);
  counts.insert(counts.end(), indices.begin(), indices.end());
  counts.insert(counts.end(), data.begin() + axis + 1, data.end());
  return counts;
}

Counts Gathered(const Ruled& ruled) { return ruled.Of(1); }

Counts GatheredNd(const Ruled& ruled) {
  const Counts data = ruled.Of(0), indices = ruled.Of(1);
  ruled.RequireKnown(1, 0, "read positions along");
  Counts counts(indices.begin() + 1, indices.end());
  counts.insert(counts.end(), data.begin() + ruled.attrs.GetInt("batch_dims") + ruled.ShapeOf(1)[0], data.end());
  return counts;
}

Counts Best(const Ruled& ruled) {
  Counts counts = ruled.Of(0);
  Nth(counts, ruled.Axis("axis", counts.size())) = nullptr;
  return counts;
}

Counts Running(const Ruled& ruled) {
  const Counts counts = ruled.Of(0);
  if (ruled.attrs.GetBool("reverse")) ruled.RequireKnown(0, ruled.Axis("axis", counts.size()), "run from the end of");
  return counts;
}

Counts Regions(const Ruled& ruled) {
  if (ruled.IsCounted(0)) RefuseCounted("vision.roi_align of images whose number is counted in a run");
  Counts counts(4);
  counts[0] = Agreed(ruled, ruled.Of(1)[0], ruled.Of(2)[0]);
  return counts;
}

// The caller sets the counts.
Counts None(const Ruled&) { return {}; }

struct CountRule {
  std::string_view op;
  Counts (*counts)(const Ruled&);
};

constexpr CountRule kCountRules[] = {
    {"argmax", Reduced},
    {"argmin", Reduced},
    {"argwhere", None},
    {"broadcast_to", Broadcast},
    {"cumprod", Running},
    {"cumsum", Running},
    {"expand_dims", Reshaped},
    {"gather", Gathered},
    {"gather_nd", GatheredNd},
    {"max", Reduced},
    {"min", Reduced},
    {"nn.avg_pool2d", FirstAxis},
    {"nn.avg_pool3d", FirstAxis},
    {"nn.batch_flatten", Reshaped},
    {"nn.bias_add", OfFirst},
    {"nn.conv2d", FirstAxis},
    {"nn.conv2d_transpose", FirstAxis},
    {"nn.conv3d", FirstAxis},
    {"nn.conv3d_transpose", FirstAxis},
    {"nn.dense", FirstAxis},
    {"nn.global_avg_pool2d", FirstAxis},
    {"nn.global_avg_pool3d", FirstAxis},
    {"nn.global_max_pool2d", FirstAxis},
    {"nn.log_softmax", OfFirst},
    {"nn.max_pool2d", FirstAxis},
    {"nn.max_pool3d", FirstAxis},
    {"nn.prelu", OfFirst},
    {"nn.softmax", OfFirst},
    {"prod", Reduced},
    {"reshape", Reshaped},
    {"squeeze", Reshaped},
    {"strided_slice", Sliced},
    {"sum", Reduced},
    {"take", Taken},
    {"topk", Best},
    {"transpose", Transposed},
    {"vision.roi_align", Regions},
};

}  // namespace

std::vector<int64_t> FoldedAxes(const relay::Attrs& attrs, size_t rank) {
  std::vector<int64_t> axes = attrs.GetInts("axis");
  for (int64_t& axis : axes) axis += axis < 0 ? static_cast<int64_t>(rank) : 0;
  if (axes.empty()) {
    for (size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

Counts CountsOfResult(TypedBuilder& builder, std::string_view op, const std::vector<ExprPtr>& args,
                      const relay::Attrs& attrs, const ExprPtr& result) {
  const relay::TypePtr type = builder.TypeOf(result);
  const Ruled ruled{builder, op, args, attrs, type->shape};
  const CountRule* row = std::find_if(std::begin(kCountRules), std::end(kCountRules),
                                      [&](const CountRule& rule) { return rule.op == op; });
  if (row != std::end(kCountRules)) return row->counts(ruled);
  const relay::OpPattern pattern = relay::FindOp(op)->pattern;
  if (pattern == relay::OpPattern::kElementwise || pattern == relay::OpPattern::kBroadcast) return Broadcast(ruled);
  RefuseCounted(fmt::format("{} of a value whose extent is counted in a run is not supported", op));
}

namespace {

// The counts that all fields share, except along `axis`.
Counts Shared(const Ruled& ruled, int64_t axis) {
  Counts counts = ruled.Of(0);
  for (size_t i = 1; i < ruled.args.size(); ++i) {
    const Counts more = ruled.Of(i);
    for (size_t d = 0; d < counts.size(); ++d) {
      if (static_cast<int64_t>(d) != axis) counts[d] = Agreed(ruled, counts[d], more[d]);
    }
  }
  return counts;
}

}  // namespace

// Element p of the result is p in the concatenated fields, shifted by the elements that are missing before it:
//
//    end to end   a a . . b b b .     a: 2 of 4, b: 3 of 4
//    result       a a b b b . . .     p >= 2 is read from p + (4 - 2)
ExprPtr JoinCounted(TypedBuilder& builder, const ExprPtr& tuple, int64_t axis) {
  const std::vector<ExprPtr>& fields = relay::AsTuple(tuple)->fields;
  const relay::Attrs attrs{{"axis", axis}};
  const ExprPtr ends_meet = builder.Uncounted("concatenate", {tuple}, attrs);
  const Shape shape = builder.ShapeOf(ends_meet);
  const Ruled ruled{builder, "concatenate", fields, attrs, shape};
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  Counts counts = Shared(ruled, axis);
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
