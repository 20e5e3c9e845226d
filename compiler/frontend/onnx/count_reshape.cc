#include "compiler/frontend/onnx/count_reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

// An axis with its dimension and its extent in a run.
struct SizedAxis {
  int64_t dim = 1;
  Extent extent;
};
using SizedAxes = std::vector<SizedAxis>;

bool IsWhole(const SizedAxis& axis) { return axis.extent == Extent(axis.dim); }

std::optional<Extent> ExtentOfAll(const SizedAxes& axes) {
  std::optional<Extent> all = Extent(1);
  for (const SizedAxis& axis : axes) all = all ? Product(*all, axis.extent) : all;
  return all;
}

int64_t DimOfAll(const SizedAxes& axes) {
  int64_t all = 1;
  for (const SizedAxis& axis : axes) all *= axis.dim;
  return all;
}

// Axes of one element whatever the run, which are set aside.
bool IsOne(const SizedAxis& axis) { return axis.dim == 1 && IsWhole(axis); }

SizedAxes WithoutOnes(const SizedAxes& axes) {
  SizedAxes rest;
  std::ranges::copy_if(axes, std::back_inserter(rest), [](const SizedAxis& axis) { return !IsOne(axis); });
  return rest;
}

// Old axes and the new ones that have their elements.
struct AxisGroup {
  SizedAxes from, to;
  bool gathers = false;
};

class CountedReshape {
 public:
  CountedReshape(TypedBuilder& builder, const ExprPtr& data, const Shape& shape, const Counts& to)
      : builder_(builder), data_(data) {
    from_ = Sized(builder.ShapeOf(data), builder.CountsOf(data));
    to_ = Sized(shape, to);
  }

  ExprPtr Result() {
    FormGroups();
    // Each group that gathers is one axis at first.
    Shape joined;
    std::vector<size_t> gathering;
    for (size_t i = 0; i < groups_.size(); ++i) {
      AxisGroup& group = groups_[i];
      group.gathers = !StaysInPlace(group);
      if (group.gathers) gathering.push_back(joined.size());
      if (group.gathers) joined.push_back(DimOfAll(group.from));
      for (const SizedAxis& axis : group.to) {
        if (!group.gathers) joined.push_back(axis.dim);
      }
    }
    // Nothing else tells that a run reads only what is in front of the counts.
    ExprPtr result = Reshaped(OnlyCounted(builder_, data_, GatheredAxes()), joined);
    for (size_t i = groups_.size(); i-- > 0;) {
      if (!groups_[i].gathers) continue;
      const auto axis = static_cast<int64_t>(gathering.back());
      gathering.pop_back();
      const AxisGroup& group = groups_[i];
      const ExprPtr places = builder_.Once(KeyOf(group), [&] { return PlacesOf(group); });
      result = builder_.Uncounted("take", {result, places}, {{"axis", axis}});
    }
    return WithOnes(result);
  }

 private:
  SizedAxes Sized(const Shape& shape, const Counts& counts) {
    SizedAxes axes;
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool counted = i < counts.size() && counts[i] != nullptr;
      axes.push_back({shape[i], counted ? builder_.extents().FormOf(counts[i]) : Extent(shape[i])});
    }
    return axes;
  }

  ExprPtr Reshaped(const ExprPtr& data, const Shape& shape) {
    return builder_.ShapeOf(data) == shape ? data : builder_.Uncounted("reshape", {data}, {{"newshape", shape}});
  }

  // The old axes of the groups that gather.
  std::vector<int64_t> GatheredAxes() const {
    std::vector<int64_t> axes;
    int64_t axis = 0;
    for (const AxisGroup& group : groups_) {
      for (size_t left = group.from.size(); left > 0; ++axis) {
        if (IsOne(Nth(from_, axis))) continue;
        if (group.gathers) axes.push_back(axis);
        --left;
      }
    }
    return axes;
  }

  // The smallest groups whose extents have equal products. Axes for which no form shows that are one group.
  void FormGroups() {
    const SizedAxes from = WithoutOnes(from_), to = WithoutOnes(to_);
    size_t i = 0, j = 0;
    while (i < from.size() || j < to.size()) {
      AxisGroup group{{from.begin() + static_cast<std::ptrdiff_t>(i), from.end()},
                      {to.begin() + static_cast<std::ptrdiff_t>(j), to.end()}};
      Shrink(group);
      i += group.from.size();
      j += group.to.size();
      groups_.push_back(std::move(group));
    }
  }

  void Shrink(AxisGroup& group) {
    for (size_t all = 2; all < group.from.size() + group.to.size(); ++all) {
      for (size_t old = 1; old < all; ++old) {
        if (old > group.from.size() || all - old > group.to.size()) continue;
        const SizedAxes from(group.from.begin(), group.from.begin() + static_cast<std::ptrdiff_t>(old));
        const SizedAxes to(group.to.begin(), group.to.begin() + static_cast<std::ptrdiff_t>(all - old));
        const auto before = ExtentOfAll(from), after = ExtentOfAll(to);
        if (!before || !after || *before != *after) continue;
        group.from = from;
        group.to = to;
        return;
      }
    }
    const auto before = ExtentOfAll(group.from), after = ExtentOfAll(group.to);
    if (!before || !after) throw Error(ExitCode::kBadData, "a reshape of extents whose products are too long");
    builder_.RequireEqual(builder_.extents().NumberOf(*before), builder_.extents().NumberOf(*after));
  }

  // Whether the elements are in the new order in memory: at most the first axis of a group may end early. Sets the
  // first new dimension to what the memory holds.
  static bool StaysInPlace(AxisGroup& group) {
    if (group.from.empty() || group.to.empty()) return group.from.empty() == group.to.empty();
    if (group.from.size() == 1 && group.to.size() == 1) {
      group.to[0].dim = group.from[0].dim;
      return true;
    }
    if (!std::all_of(group.from.begin() + 1, group.from.end(), IsWhole)) return false;
    if (!std::all_of(group.to.begin() + 1, group.to.end(), IsWhole)) return false;
    const int64_t elements = DimOfAll(group.from), behind = DimOfAll(SizedAxes(group.to.begin() + 1, group.to.end()));
    if (behind == 0 || elements % behind != 0) return false;
    group.to[0].dim = elements / behind;
    return true;
  }

  ExprPtr With(const char* op, const ExprPtr& a, const ExprPtr& b) { return builder_.Uncounted(op, {a, b}); }

  // Equal for groups whose places are equal.
  std::string KeyOf(const AxisGroup& group) {
    std::string key = "places";
    const auto add = [&](const SizedAxes& axes) {
      for (const SizedAxis& axis : axes) {
        key += fmt::format(" {}", axis.dim);
        if (const auto number = axis.extent.known()) {
          key += fmt::format(":{}", *number);
        } else {
          key += fmt::format(":{}", fmt::ptr(builder_.extents().NumberOf(axis.extent).get()));
        }
      }
    };
    add(group.from);
    key += " to";
    add(group.to);
    return key;
  }

  // For each new position of the group its place among the old ones, or any place behind the extents.
  ExprPtr PlacesOf(const AxisGroup& group) {
    ExtentForms& extents = builder_.extents();
    const auto rank = static_cast<int64_t>(group.to.size());
    ExprPtr number = CountOf(0), step = CountOf(1);  // number of the element among those that are there
    for (int64_t d = rank; d-- > 0;) {
      number = With("add", number, With("multiply", Positions(Nth(group.to, d).dim, d, rank), step));
      step = With("multiply", step, extents.NumberOf(Nth(group.to, d).extent));
    }
    ExprPtr place = number;
    if (group.from.size() > 1) {
      place = CountOf(0);
      int64_t stride = 1;
      for (size_t d = group.from.size(); d-- > 0; stride *= group.from[d].dim) {
        ExprPtr at = number;
        if (d > 0) {
          const ExprPtr extent = With("maximum", extents.NumberOf(group.from[d].extent), CountOf(1));
          const ExprPtr before = With("divide", number, extent);
          at = With("subtract", number, With("multiply", before, extent));
          number = before;
        }
        place = With("add", place, With("multiply", at, CountOf(stride)));
      }
    }
    return With("minimum", place, CountOf(std::max<int64_t>(0, DimOfAll(group.from) - 1)));
  }

  // Puts the axes of one element back, and sets the counts.
  ExprPtr WithOnes(const ExprPtr& data) {
    SizedAxes axes;
    for (const AxisGroup& group : groups_) axes.insert(axes.end(), group.to.begin(), group.to.end());
    Shape shape;
    Counts counts;
    size_t next = 0;
    for (const SizedAxis& axis : to_) {
      const SizedAxis& sized = IsOne(axis) ? axis : axes[next++];
      shape.push_back(sized.dim);
      counts.push_back(IsWhole(sized) ? nullptr : builder_.extents().NumberOf(sized.extent));
    }
    // The counts are those of an expression of their own.
    ExprPtr result = Reshaped(data, shape);
    if (result == data_) result = builder_.Uncounted("reshape", {data}, {{"newshape", shape}});
    builder_.SetCounts(result, std::move(counts));
    return result;
  }

  TypedBuilder& builder_;
  ExprPtr data_;
  SizedAxes from_, to_;
  std::vector<AxisGroup> groups_;
};

}  // namespace

ExprPtr ReshapeCounted(TypedBuilder& builder, const ExprPtr& data, Shape shape, Counts to) {
  to.resize(shape.size());
  return CountedReshape(builder, data, shape, to).Result();
}

namespace {

// The extent that the given ones leave of all elements, which are at most `most`.
ExprPtr Remaining(TypedBuilder& builder, const ExprPtr& all, const ExprPtr& given, int64_t most) {
  const Extent whole = builder.extents().FormOf(all), part = builder.extents().FormOf(given);
  if (const auto exact = Quotient(whole, part)) return builder.extents().NumberOf(*exact);
  const ExprPtr left = builder.Call("divide", {all, builder.Call("maximum", {given, CountOf(1)})});
  builder.extents().Narrow(left, {0, most / std::max<int64_t>(1, builder.extents().RangeOf(part).least)});
  return left;
}

}  // namespace

ExprPtr ReshapeToExtents(TypedBuilder& builder, const ExprPtr& data, std::vector<ExprPtr> extents) {
  const int64_t elements = ElementCount(builder.ShapeOf(data));
  ExprPtr all = CountOf(1), given = CountOf(1);
  for (size_t d = 0; d < builder.ShapeOf(data).size(); ++d) {
    all = builder.Call("multiply", {all, ExtentOf(builder, data, static_cast<int64_t>(d))});
  }
  for (const ExprPtr& extent : extents) given = extent == nullptr ? given : builder.Call("multiply", {given, extent});
  Shape shape;
  Counts counts;
  for (ExprPtr& extent : extents) {
    if (extent == nullptr) extent = Remaining(builder, all, given, elements);
    const Extent form = builder.extents().FormOf(extent);
    const auto known = form.known();
    const int64_t most = std::clamp<int64_t>(builder.BoundOf(extent).value_or(elements), 0, elements);
    shape.push_back(known ? *known : most);
    counts.push_back(known ? nullptr : extent);
    const Interval range = builder.extents().RangeOf(form);
    if (!known && (range.least < 0 || range.most > most)) builder.RequireCount(extent, most);
  }
  return ReshapeCounted(builder, data, std::move(shape), std::move(counts));
}

ExprPtr ReshapeByDims(TypedBuilder& builder, const ExprPtr& data, const Shape& shape) {
  const Shape from = builder.ShapeOf(data);
  const Counts given = builder.CountsOf(data);
  const auto refuse = [&](const char* why) {
    throw Error(ExitCode::kBadData, fmt::format("a reshape from {} to {} would {} an axis whose extent is counted in a "
                                                "run",
                                                ShapeText(from), ShapeText(shape), why));
  };
  Counts counts(shape.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < shape.size()) {
    const size_t first = i, place = j;
    int64_t before = i < from.size() ? from[i++] : 1, after = j < shape.size() ? shape[j++] : 1;
    while (before != after) {
      if (before < after && i < from.size()) {
        before *= from[i++];
      } else if (after < before && j < shape.size()) {
        after *= shape[j++];
      } else {
        refuse("lose");
      }
    }
    ExprPtr all = CountOf(1);
    bool counted = false, mixes = false, leads = true;
    for (size_t d = first; d < i; ++d) {
      const bool is_counted = !given.empty() && given[d] != nullptr;
      mixes = mixes || (is_counted && !leads);
      counted = counted || is_counted;
      leads = leads && from[d] == 1 && !is_counted;
      all = builder.Call("multiply", {all, ExtentOf(builder, data, static_cast<int64_t>(d))});
    }
    if (!counted) continue;
    // The first new axis that is longer than 1 takes what the others leave of the extent.
    size_t into = place;
    while (into + 1 < j && shape[into] == 1) ++into;
    if (into >= shape.size()) refuse("drop");
    int64_t behind = 1;
    for (size_t d = into + 1; d < j; ++d) behind *= shape[d];
    const bool kept = i - first == j - place && std::equal(from.begin() + static_cast<std::ptrdiff_t>(first),
                                                           from.begin() + static_cast<std::ptrdiff_t>(i),
                                                           shape.begin() + static_cast<std::ptrdiff_t>(place));
    if (kept) {
      for (size_t d = 0; d < j - place; ++d) counts[place + d] = given[first + d];
      continue;
    }
    if (behind > 1 && mixes) refuse("mix");
    if (behind == 0) refuse("drop");
    if (!Quotient(builder.extents().FormOf(all), Extent(behind))) refuse("split");
    counts[into] = builder.Call("divide", {all, CountOf(behind)});
  }
  return ReshapeCounted(builder, data, shape, std::move(counts));
}

}  // namespace hone
