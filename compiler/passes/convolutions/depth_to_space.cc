#include <algorithm>
#include <cstring>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

using Channels = std::vector<int64_t>;

bool IsConstantBias(const Call& call) { return IsBias(call) && relay::AsConstant(call.args[1]) != nullptr; }

// The rows of a constant in the given order.
ExprPtr Reordered(const relay::Constant& rows, const Channels& order) {
  Tensor moved(rows.value.dtype(), rows.value.shape());
  const size_t row = static_cast<size_t>(rows.value.size_bytes()) / order.size();
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(static_cast<char*>(moved.raw()) + i * row,
                static_cast<const char*>(rows.value.raw()) + static_cast<size_t>(order[i]) * row, row);
  }
  return relay::MakeConstant(moved, rows.name);
}

// `expr` with its channels in another order, by reordering the filters of its convolution; null if that is impossible.
ExprPtr WithChannels(const ExprPtr& expr, const Channels& order, const Uses& uses) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || relay::AsOp(call->op) == nullptr || uses.Of(expr) != 1) return nullptr;
  if (IsUnary(*call) || IsConstantBias(*call)) {
    std::vector<ExprPtr> args = call->args;
    args[0] = WithChannels(args[0], order, uses);
    if (args[0] == nullptr) return nullptr;
    if (args.size() == 2) args[1] = Reordered(*relay::AsConstant(args[1]), order);
    return WithArgs(*call, std::move(args));
  }
  const bool conv = relay::AsCallTo(expr, "nn.conv2d") != nullptr && call->attrs.GetInt("groups", 1) == 1;
  const relay::Constant* weight = conv ? relay::AsConstant(call->args[1]) : nullptr;
  return weight ? WithArgs(*call, {call->args[0], Reordered(*weight, order)}) : nullptr;
}

// Reorders channels so that the pixel positions come first: channel c of pixel position p is channel c * places + p.
ExprPtr PlacesFirst(const ExprPtr& data, int64_t places, const Uses& uses) {
  const int64_t count = ShapeOf(data)[1], channels = count / places;
  Channels order;
  for (int64_t c = 0; c < count; ++c) order.push_back(c % channels * places + c / channels);
  return WithChannels(data, order, uses);
}

ExprPtr Recognised(const ExprPtr& node, const Uses& uses) {
  const Call* joined = relay::AsCallTo(node, "reshape");
  const Call* turned = joined ? relay::AsCallTo(joined->args[0], "transpose") : nullptr;
  const Call* parted = turned ? relay::AsCallTo(turned->args[0], "reshape") : nullptr;
  if (parted == nullptr || uses.Of(joined->args[0]) != 1 || uses.Of(turned->args[0]) != 1) return nullptr;
  if (!IsImage(node) || !IsImage(parted->args[0])) return nullptr;
  const Shape &image = ShapeOf(node), &data = ShapeOf(parted->args[0]), &parts = ShapeOf(turned->args[0]);
  const int64_t size = image[2] / std::max<int64_t>(1, data[2]);
  if (size < 2) return nullptr;
  const Shape whole{data[0], image[1], data[2] * size, data[3] * size};
  const std::vector<int64_t> axes = turned->attrs.GetInts("axes");
  ExprPtr from;
  if (axes == Shape{0, 3, 4, 1, 5, 2} && parts == Shape{data[0], size, size, image[1], data[2], data[3]}) {
    from = parted->args[0];
  } else if (axes == Shape{0, 1, 4, 2, 5, 3} && parts == Shape{data[0], image[1], size, size, data[2], data[3]}) {
    from = PlacesFirst(parted->args[0], size * size, uses);
  }
  if (from == nullptr || image != whole) return nullptr;
  return TypedCall("nn.depth_to_space", {from}, {{"block_size", size}}, turned->name);
}

ExprPtr Repeated(const relay::Constant& bias, int64_t times) {
  const int64_t count = bias.value.elements();
  std::vector<double> values(static_cast<size_t>(count * times));
  for (size_t i = 0; i < values.size(); ++i) values[i] = bias.value.At(static_cast<int64_t>(i) % count);
  return VectorConstant(values, bias.name);
}

// Whether the call has the channel order that the rules below expect.
bool PlacesFirst(const Call& spread) { return spread.attrs.GetString("mode", "DCR") == "DCR"; }

ExprPtr GoBefore(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || call->args.empty() || uses.Of(call->args[0]) != 1) return nullptr;
  const Call* spread = relay::AsCallTo(call->args[0], "nn.depth_to_space");
  if (spread == nullptr || !PlacesFirst(*spread) || !IsImage(node) || !(IsUnary(*call) || IsConstantBias(*call)))
    return nullptr;
  const int64_t size = spread->attrs.GetInt("block_size");
  std::vector<ExprPtr> args = call->args;
  args[0] = spread->args[0];
  if (args.size() == 2) args[1] = Repeated(*relay::AsConstant(args[1]), size * size);
  const ExprPtr before = TypedCall(relay::AsOp(call->op)->def->name, std::move(args), call->attrs, call->name);
  return TypedCall("nn.depth_to_space", {before}, spread->attrs, spread->name);
}

// If the data cannot stay in blocks, elements move one by one, which a transpose does more cheaply.
ExprPtr Composed(const ExprPtr& node, const Uses&, int64_t lanes) {
  const Call* spread = relay::AsCallTo(node, "nn.depth_to_space");
  if (spread == nullptr || !PlacesFirst(*spread) || ShapeOf(node)[1] % lanes == 0) return nullptr;
  const Shape &image = ShapeOf(node), &data = ShapeOf(spread->args[0]);
  const int64_t size = spread->attrs.GetInt("block_size");
  const ExprPtr parted = TypedReshape(spread->args[0], {image[0], size, size, image[1], data[2], data[3]});
  return TypedReshape(
      TypedCall("transpose", {parted}, {{"axes", std::vector<int64_t>{0, 3, 4, 1, 5, 2}}}, spread->name), image);
}

}  // namespace

relay::IRModule DepthToSpace(const relay::IRModule& module, int lanes) {
  const relay::IRModule early = RewriteByRules(module, {Recognised, GoBefore});
  return RewriteByRules(early,
                        {[lanes](const ExprPtr& node, const Uses& uses) { return Composed(node, uses, lanes); }});
}

}  // namespace hone
