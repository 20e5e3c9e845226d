// A convolution whose windows neither overlap nor leave gaps, and whose weight is much larger than the image. Each row
// of outputs would read the whole weight again. With the pixels of a window as channels it is pointwise, and all
// outputs share each read of the weight:
//
//    conv2d, kernel 2x2, stride 2, C inputs   becomes   reshape, transpose -> conv2d 1x1 of 4 C inputs
#include <array>
#include <string>

#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/window_attrs.h"
#include "compiler/passes/rules/canonicalise.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

// Least ratio of the weight's elements to the image's.
constexpr int64_t kLargerWeight = 8;

bool CutsIntoPatches(const Call& conv) {
  const Shape &data = ShapeOf(conv.args[0]), &weight = ShapeOf(conv.args[1]);
  const auto strides = Pair(conv.attrs, "strides");
  const auto fits = [&](size_t i) {
    return strides.at(i) == weight[2 + i] && data[2 + i] % weight[2 + i] == 0 &&
           Pair(conv.attrs, "dilation").at(i) == 1;
  };
  return fits(0) && fits(1) && Padding4(conv.attrs) == std::array<int64_t, 4>{} && weight[2] * weight[3] > 1 &&
         ElementCount(weight) >= kLargerWeight * ElementCount(data);
}

// Turns (N, C, H, W) into (N, C * window, H / rows, W / columns).
ExprPtr PatchesAsPixels(const ExprPtr& data, int64_t rows, int64_t columns) {
  const Shape& shape = ShapeOf(data);
  const Shape parts{shape[0], shape[1], shape[2] / rows, rows, shape[3] / columns, columns};
  const ExprPtr apart = TypedCall("transpose", {TypedReshape(data, parts)}, {{"axes", Ints{0, 1, 3, 5, 2, 4}}});
  return TypedReshape(apart, {shape[0], shape[1] * rows * columns, parts[2], parts[4]});
}

ExprPtr PatchesAsPixels(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || conv->attrs.GetString("data_layout", "NCHW") != "NCHW" || !relay::IsFloatTensor(node->type)) {
    return nullptr;
  }
  const bool whole = conv->attrs.GetInt("groups", 1) == 1 && !conv->attrs.GetBool("integral") && conv->args.size() == 2;
  const relay::Constant* weight = relay::AsConstant(conv->args[1]);
  if (!whole || weight == nullptr || !IsStatic(ShapeOf(conv->args[0])) || !CutsIntoPatches(*conv)) return nullptr;
  const Shape& shape = weight->value.shape();
  const Shape pixels{shape[0], ElementCount(shape) / shape[0], 1, 1};
  const ExprPtr pointwise = FoldConstant(TypedReshape(conv->args[1], pixels, weight->name));
  relay::Attrs attrs = conv->attrs;
  attrs.Set("kernel_size", Ints{1, 1});
  attrs.Set("strides", Ints{1, 1});
  return TypedCall("nn.conv2d", {PatchesAsPixels(conv->args[0], shape[2], shape[3]), pointwise}, std::move(attrs),
                   conv->name);
}

}  // namespace

const std::vector<Rule>& PatchRules() {
  static const std::vector<Rule> rules{
      [](const ExprPtr& node, const Uses& uses) { return PatchesAsPixels(node, uses); }};
  return rules;
}

}  // namespace hone
