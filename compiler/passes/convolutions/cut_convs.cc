#include <algorithm>
#include <array>
#include <optional>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

// Range [begin, end) of an image's rows or columns.
struct Part {
  int64_t begin, end;
};
using Parts = std::array<Part, 2>;

// Position of `at` along an axis by numpy's rules: negative counts from the end, and the result is clamped.
int64_t Placed(int64_t at, int64_t extent) { return std::clamp<int64_t>(at < 0 ? at + extent : at, 0, extent); }

// The rows and columns that a slice keeps; nullopt if it slices the batch or channels, or has steps.
std::optional<Parts> PartsOf(const Call& slice) {
  const Shape& image = ShapeOf(slice.args[0]);
  const Ints begin = slice.attrs.GetInts("begin"), end = slice.attrs.GetInts("end");
  const Ints strides = slice.attrs.GetInts("strides"), axes = slice.attrs.GetInts("axes");
  if (std::any_of(strides.begin(), strides.end(), [](int64_t step) { return step != 1; })) return {};
  Parts parts{Part{0, image[2]}, Part{0, image[3]}};
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t axis = axes.empty() ? static_cast<int64_t>(i) : FromFront(axes[i], image.size());
    const int64_t extent = Nth(image, axis);
    const Part part{Placed(begin[i], extent), Placed(end[i], extent)};
    if (part.end <= part.begin) return {};
    if (axis >= 2) Nth(parts, axis - 2) = part;
    if (axis < 2 && (part.begin != 0 || part.end != extent)) return {};
  }
  return parts;
}

// The padding with which a convolution computes only those rows and columns; nullopt if no padding does.
std::optional<std::array<int64_t, 4>> PaddingOf(const Call& conv, const Parts& parts) {
  std::array<int64_t, 4> padding = Padding4(conv.attrs);
  const std::array<int64_t, 2> strides = Pair(conv.attrs, "strides"), dilation = Pair(conv.attrs, "dilation");
  for (size_t i = 0; i < 2; ++i) {
    const int64_t extent = ShapeOf(conv.args[0])[2 + i], window = (ShapeOf(conv.args[1])[2 + i] - 1) * dilation[i] + 1;
    int64_t &before = padding[i], &after = padding[2 + i];
    const int64_t last = (parts[i].end - 1) * strides[i] - before + window - 1;
    before -= parts[i].begin * strides[i];
    after = std::max<int64_t>(0, last - (extent - 1));
    const bool same = (extent + before + after - window) / strides[i] + 1 == parts[i].end - parts[i].begin;
    if (before < 0 || !same) return {};
  }
  return padding;
}

// The expression without the removed part; null if other readers need that part.
ExprPtr Cut(const ExprPtr& expr, const Parts& parts, const Uses& uses) {
  const Call* call = relay::AsCall(expr);
  if (DefOf(expr) == nullptr || uses.Of(expr) != 1 || expr->type->kind != relay::TypeKind::kTensor) return nullptr;
  relay::Attrs attrs = call->attrs;
  std::vector<ExprPtr> args = call->args;
  if (relay::AsCallTo(expr, "nn.conv2d") != nullptr) {
    const bool plain = attrs.GetString("data_layout", "NCHW") == "NCHW" && IsStatic(ShapeOf(args[0]));
    const auto padding = plain ? PaddingOf(*call, parts) : std::nullopt;
    if (!padding) return nullptr;
    attrs.Set("padding", Ints(padding->begin(), padding->end()));
  } else {
    const bool same = !args.empty() && args[0]->type->kind == relay::TypeKind::kTensor && TreatsPixelsAlike(*call) &&
                      ShapeOf(args[0]) == ShapeOf(expr);
    args[0] = same ? Cut(args[0], parts, uses) : nullptr;
    if (args[0] == nullptr) return nullptr;
  }
  return TypedCall(relay::AsOp(call->op)->def->name, std::move(args), std::move(attrs), call->name);
}

ExprPtr SliceOfConv(const ExprPtr& node, const Uses& uses) {
  const Call* slice = relay::AsCallTo(node, "strided_slice");
  if (slice == nullptr || ShapeOf(node).size() != 4 || !IsStatic(ShapeOf(slice->args[0]))) return nullptr;
  const auto parts = PartsOf(*slice);
  return parts ? Cut(slice->args[0], *parts, uses) : nullptr;
}

}  // namespace

relay::IRModule CutConvs(const relay::IRModule& module) { return RewriteByRules(module, {SliceOfConv}); }

}  // namespace hone
