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

// The extent of two operands that must agree: known if both are, else the count. A run fails if two counts differ.
ExprPtr Agreed(const Ruled& ruled, const ExprPtr& a, const ExprPtr& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  ruled.builder.RequireEqual(a, b);
  return a;
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

// Windows of a convolution or pool: (n + padding - reach) / stride + 1, but not below 0.
Counts Windowed(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  ruled.RequireKnown(0, 1, "sum over");
  Counts counts = ruled.Of(0);
  const bool pools = ruled.args.size() == 1;
  const auto kernel = ruled.attrs.GetInts(pools ? "pool_size" : "kernel_size");
  const auto strides = ruled.attrs.GetInts("strides"), dilation = ruled.attrs.GetInts("dilation");
  const auto padding = ruled.attrs.GetInts("padding");
  const size_t spatial = counts.size() - 2;
  const auto at = [](const std::vector<int64_t>& values, size_t i) { return values[values.size() == 1 ? 0 : i]; };
  for (size_t i = 0; i < spatial; ++i) {
    ExprPtr& count = counts[2 + i];
    if (count == nullptr) continue;
    const int64_t stride = at(strides, i), reach = (at(kernel, i) - 1) * at(dilation, i) + 1;
    const int64_t end = padding.size() == 2 * spatial ? padding[spatial + i] : at(padding, i);
    count = ruled.Scalar("add", count, at(padding, i) + end - reach + stride);
    count = ruled.Scalar("divide", ruled.Scalar("maximum", count, 0), stride);
  }
  return counts;
}

// The reach of a transposed convolution: (n - 1) * stride + reach - padding.
Counts WindowedBack(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  ruled.RequireKnown(0, 1, "sum over");
  Counts counts = ruled.Of(0);
  const auto kernel = ruled.attrs.GetInts("kernel_size"), strides = ruled.attrs.GetInts("strides");
  const auto dilation = ruled.attrs.GetInts("dilation"), padding = ruled.attrs.GetInts("padding");
  const auto extra = ruled.attrs.GetInts("output_padding");
  const size_t spatial = counts.size() - 2;
  const auto at = [](const std::vector<int64_t>& values, size_t i) { return values[values.size() == 1 ? 0 : i]; };
  for (size_t i = 0; i < spatial; ++i) {
    ExprPtr& count = counts[2 + i];
    if (count == nullptr) continue;
    const int64_t end = padding.size() == 2 * spatial ? padding[spatial + i] : at(padding, i);
    const int64_t more = (at(kernel, i) - 1) * at(dilation, i) + 1 + at(extra, i) - at(padding, i) - end;
    count = ruled.Scalar("add", ruled.Scalar("multiply", count, at(strides, i)), more - at(strides, i));
    count = ruled.Scalar("maximum", count, 0);
  }
  return counts;
}

Counts Padded(const Ruled& ruled) {
  Counts counts = ruled.Of(0);
  const auto width = ruled.attrs.GetInts("pad_width");
  for (size_t d = 0; d < counts.size(); ++d) {
    const int64_t more = width[2 * d] + width[2 * d + 1];
    if (counts[d] == nullptr || more == 0) continue;
    if (ruled.attrs.GetString("pad_mode") != "constant") {
      RefuseCounted(fmt::format("nn.pad would mirror axis {}, whose extent is counted in a run", d));
    }
    counts[d] = ruled.Scalar("add", counts[d], more);
  }
  return counts;
}

Counts OfFirst(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  return ruled.Of(0);
}

// Arguments of one rank whose rows belong together.
Counts OfEach(const Ruled& ruled) {
  Counts counts = ruled.Of(0);
  for (size_t i = 1; i < ruled.args.size(); ++i) {
    const Counts given = ruled.Of(i);
    for (size_t d = 0; d < counts.size(); ++d) counts[d] = Agreed(ruled, counts[d], given[d]);
  }
  return counts;
}

// Each row by itself; what it has may become another number of results.
Counts OfRows(const Ruled& ruled) {
  ruled.RequireOnlyFirst();
  ruled.RequireKnown(0, 1, "read the features of");
  return ruled.Of(0);
}

Counts AcrossChannels(const Ruled& ruled) {
  ruled.RequireKnown(0, ruled.Axis("axis", ruled.ShapeOf(0).size()), "sum over");
  return OfFirst(ruled);
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

Counts Expanded(const Ruled& ruled) {
  Counts counts = ruled.Of(0);
  const int64_t axis = ruled.Axis("axis", counts.size() + 1), more = ruled.attrs.GetInt("num_newaxis");
  counts.insert(counts.begin() + axis, static_cast<size_t>(more), nullptr);
  return counts;
}

Counts Squeezed(const Ruled& ruled) {
  const Counts given = ruled.Of(0);
  const Shape& shape = ruled.ShapeOf(0);
  const std::vector<int64_t> axes =
      ruled.attrs.GetInts("axis").empty() ? std::vector<int64_t>() : FoldedAxes(ruled.attrs, given.size());
  Counts counts;
  for (size_t d = 0; d < given.size(); ++d) {
    const bool goes = axes.empty() ? shape[d] == 1 : std::ranges::binary_search(axes, static_cast<int64_t>(d));
    if (!goes) counts.push_back(given[d]);
    if (goes && given[d] != nullptr) RefuseCounted("a squeeze would drop an axis whose extent is counted in a run");
  }
  return counts;
}

// Rows times columns. The axes that are summed over agree, and hold zeros behind their count (counts.cc).
Counts Multiplied(const Ruled& ruled) {
  const bool dense = ruled.op == "nn.dense", by_rows = dense || ruled.attrs.GetBool("transpose_b");
  const Counts a = ruled.Of(0), b = ruled.Of(1);
  for (size_t i = 2; i < ruled.args.size(); ++i) {
    if (ruled.IsCounted(i)) RefuseCounted(fmt::format("{} takes no zero points of a counted extent", ruled.op));
  }
  const size_t last = a.size() - 1, depth = by_rows ? last : last - 1;
  if ((a[last] == nullptr) != (b[depth] == nullptr)) {
    RefuseCounted(fmt::format("{} over an axis whose extent is counted in a run and one of {}", ruled.op,
                              ruled.ShapeOf(a[last] == nullptr ? 0 : 1)[a[last] == nullptr ? last : depth]));
  }
  Agreed(ruled, a[last], b[depth]);
  Counts counts{a[last - 1], b[by_rows ? last - 1 : last]};
  if (!dense) counts.insert(counts.begin(), Agreed(ruled, a[0], b[0]));
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
    {"couple_pairs", OfRows},
    {"cumprod", OfFirst},
    {"cumsum", OfFirst},
    {"expand_dims", Expanded},
    {"gather", Gathered},
    {"gather_nd", GatheredNd},
    {"max", Reduced},
    {"mean", Reduced},
    {"min", Reduced},
    {"nn.avg_pool2d", Windowed},
    {"nn.avg_pool3d", Windowed},
    {"nn.batch_matmul", Multiplied},
    {"nn.batch_norm", OfFirst},
    {"nn.bias_add", OfFirst},
    {"nn.conv2d", Windowed},
    {"nn.conv2d_transpose", WindowedBack},
    {"nn.conv3d", Windowed},
    {"nn.conv3d_transpose", WindowedBack},
    {"nn.dense", Multiplied},
    {"nn.global_avg_pool2d", OfFirst},
    {"nn.global_avg_pool3d", OfFirst},
    {"nn.global_max_pool2d", OfFirst},
    {"nn.log_softmax", OfFirst},
    {"nn.lrn", AcrossChannels},
    {"nn.max_pool2d", Windowed},
    {"nn.max_pool3d", Windowed},
    {"nn.pad", Padded},
    {"nn.prelu", OfFirst},
    {"nn.softmax", OfFirst},
    {"prod", Reduced},
    {"squeeze", Squeezed},
    {"strided_slice", Sliced},
    {"sum", Reduced},
    {"take", Taken},
    {"topk", Best},
    {"transpose", Transposed},
    {"tree_ensemble", OfRows},
    {"unpack_blocks", OfEach},
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

}  // namespace hone
