#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct MobilenetV2Stage {
  int64_t expansion;
  int64_t channels;
  int units;
  int64_t stride;  // stride of the first unit
};

constexpr MobilenetV2Stage kMobilenetV2Stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                                   {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

constexpr float kResidualGain = 0.5F;

ExprPtr Clipped(ZooBuilder& net, const ExprPtr& x) { return net.Call("clip", x, {{"a_min", 0.0}, {"a_max", 6.0}}); }

ExprPtr ConvBlock(ZooBuilder& net, const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  return Clipped(net, net.BatchNorm(net.Conv(x, name + "_conv", conv), name + "_bn"));
}

ExprPtr InvertedResidual(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t inputs,
                         const MobilenetV2Stage& stage, int64_t stride) {
  const int64_t hidden = inputs * stage.expansion;
  const bool residual = stride == 1 && inputs == stage.channels;
  ExprPtr y = x;
  if (stage.expansion != 1) y = ConvBlock(net, y, name + "_expand", {.channels = hidden});
  y = net.DepthwiseConv(y, name + "_depthwise_weight", hidden, stride);
  y = Clipped(net, net.BatchNorm(y, name + "_depthwise_bn"));
  y = net.Conv(y, name + "_project_conv", {.channels = stage.channels, .gain = residual ? kResidualGain : 1});
  y = net.BatchNorm(y, name + "_project_bn");
  return residual ? relay::MakeCall("add", {y, x}) : y;
}

}  // namespace

relay::IRModule BuildMobilenetV2(const ZooOptions& options) {
  ZooBuilder net(options);
  int64_t channels = 32;
  ExprPtr x = ConvBlock(net, net.data(), "conv_block_1", {.channels = 32, .kernel = 3, .stride = 2, .padding = 1});
  int number = 0;
  for (const MobilenetV2Stage& stage : kMobilenetV2Stages) {
    for (int unit = 0; unit < stage.units; ++unit) {
      const std::string name = fmt::format("inverted_residual_block_{}", ++number);
      x = InvertedResidual(net, x, name, channels, stage, unit == 0 ? stage.stride : 1);
      channels = stage.channels;
    }
  }
  x = ConvBlock(net, x, "conv_block_2", {.channels = 1280});
  return net.Finish(net.Call("nn.softmax", net.Dense(net.PoolAndFlatten(x), "fc", options.classes)));
}

}  // namespace hone
