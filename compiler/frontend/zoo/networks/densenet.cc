#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kGrowth = 32;
constexpr int kLayers[] = {6, 12, 24, 16};

ExprPtr Layer(ZooBuilder& net, const ExprPtr& x, const std::string& index) {
  ExprPtr y = net.Relu(net.BatchNorm(x, "batch_1_" + index));
  y = net.Conv(y, "conv2d_1_" + index, {.channels = 4 * kGrowth});
  y = net.Relu(net.BatchNorm(y, "batch_2_" + index));
  return net.Conv(y, "conv2d_2_" + index, {.channels = kGrowth, .kernel = 3, .padding = 1});
}

// Each layer sees the block's input and what all layers before it made.
ExprPtr Block(ZooBuilder& net, const ExprPtr& x, int stage) {
  std::vector<ExprPtr> features{x};
  ExprPtr all = x;
  for (int i = 0; i < kLayers[stage]; ++i) {
    features.push_back(Layer(net, all, fmt::format("{}_{}", stage, i)));
    all = net.Concat(features);
  }
  return all;
}

ExprPtr Transition(ZooBuilder& net, const ExprPtr& x, int stage, int64_t channels) {
  const ExprPtr act = net.Relu(net.BatchNorm(x, fmt::format("batch_t_{}", stage)));
  return net.AvgPool(net.Conv(act, fmt::format("conv_t_{}", stage), {.channels = channels}), 2, 2, 0);
}

}  // namespace

relay::IRModule BuildDensenet121(const ZooOptions& options) {
  ZooBuilder net(options);
  int64_t channels = 2 * kGrowth;
  ExprPtr x = net.Conv(net.data(), "conv1", {.channels = channels, .kernel = 7, .stride = 2, .padding = 3});
  x = net.MaxPool(net.Relu(net.BatchNorm(x, "batch1")), 3, 2, 1);
  for (int stage = 0; stage < 4; ++stage) {
    x = Block(net, x, stage);
    channels += kLayers[stage] * kGrowth;
    if (stage == 3) break;
    channels /= 2;
    x = Transition(net, x, stage, channels);
  }
  x = net.PoolAndFlatten(net.Relu(net.BatchNorm(x, "batch2")));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "dense", options.classes)));
}

}  // namespace hone
