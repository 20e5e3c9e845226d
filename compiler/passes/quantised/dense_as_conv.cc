#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The row as the channels of one pixel. If it was reshaped from such an image, that image.
ExprPtr AsPixel(const ExprPtr& row) {
  const Shape shape{1, ShapeOf(row)[1], 1, 1};
  const Call* call = relay::AsCall(row);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  const bool reshapes = op != nullptr && (op->def->name == "reshape" || op->def->name == "nn.batch_flatten");
  return reshapes && ShapeOf(call->args[0]) == shape ? call->args[0] : TypedReshape(row, shape);
}

ExprPtr FromDense(const ExprPtr& node, const Uses&) {
  const Call* dense = relay::AsCallTo(node, "nn.dense");
  const relay::Constant* weight = dense != nullptr ? relay::AsConstant(dense->args[1]) : nullptr;
  if (weight == nullptr || !dense->attrs.GetBool("integral") || ShapeOf(node)[0] != 1) return nullptr;
  const auto data = WholeRangeOf(dense->args[0]), factors = WholeRangeOf(dense->args[1]);
  if (!data || !factors || data->high - std::min(data->low, 0.0) > kLargestByte || !factors->Within(-128, 127))
    return nullptr;
  const int64_t outputs = ShapeOf(node)[1];
  const ExprPtr filters =
      relay::MakeConstant(weight->value.Reshaped({outputs, ShapeOf(dense->args[0])[1], 1, 1}), weight->name);
  const relay::Attrs attrs{{"padding", std::vector<int64_t>{0, 0, 0, 0}},
                           {"channels", outputs},
                           {"kernel_size", std::vector<int64_t>{1, 1}},
                           {"integral", true},
                           {"long_sums", dense->attrs.GetBool("long_sums")}};
  return TypedReshape(TypedCall("nn.conv2d", {AsPixel(dense->args[0]), filters}, attrs, dense->name), {1, outputs});
}

// The image of one pixel that the row was reshaped from, or null.
ExprPtr PixelBehind(const ExprPtr& row) {
  const Call* reshape = relay::AsCallTo(row, "reshape");
  if (reshape == nullptr || ShapeOf(row).size() != 2 || ShapeOf(row)[0] != 1) return nullptr;
  return ShapeOf(reshape->args[0]) == Shape{1, ShapeOf(row)[1], 1, 1} ? reshape->args[0] : nullptr;
}

// The other operand of an elementwise operator on a row, in a form for the pixel: one value for all, or one per
// channel.
ExprPtr ForPixel(const ExprPtr& operand, const Shape& row) {
  const auto channels = PerChannel(operand, row, 1);
  if (!channels) return nullptr;
  return ElementCount(ShapeOf(operand)) == 1 ? operand : ChannelConstant(*channels, 4, 1, "");
}

ExprPtr BeforeReshape(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  if (op == nullptr || call->args.empty() || node->type->kind != relay::TypeKind::kTensor) return nullptr;
  const ExprPtr pixel = PixelBehind(call->args[0]);
  if (pixel == nullptr || relay::AsCall(pixel) == nullptr || uses.Of(call->args[0]) > 1) return nullptr;
  if (ShapeOf(node) != ShapeOf(call->args[0])) return nullptr;
  const bool bias = op->def->name == "nn.bias_add";
  const bool elementwise =
      op->def->pattern == relay::OpPattern::kElementwise || op->def->pattern == relay::OpPattern::kBroadcast;
  if (!bias && !elementwise) return nullptr;
  std::vector<ExprPtr> args{pixel};
  for (size_t i = 1; i < call->args.size(); ++i) {
    args.push_back(bias ? call->args[i] : ForPixel(call->args[i], ShapeOf(node)));
    if (args.back() == nullptr) return nullptr;
  }
  return TypedReshape(TypedCall(op->def->name, std::move(args), call->attrs, call->name), ShapeOf(node));
}

}  // namespace

relay::IRModule DenseAsConv(const relay::IRModule& module) {
  const std::vector<ExprPtr> order = PostOrder(module.main->body);
  const bool any = std::any_of(order.begin(), order.end(), [](const ExprPtr& expr) {
    const Call* dense = relay::AsCallTo(expr, "nn.dense");
    return dense != nullptr && dense->attrs.GetBool("integral") && relay::AsConstant(dense->args[1]) != nullptr;
  });
  return any ? RewriteByRules(module, {FromDense, BeforeReshape}) : module;
}

}  // namespace hone
