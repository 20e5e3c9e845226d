#include <fmt/format.h>

#include <array>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct DensenetLayout {
  int64_t first;   // channels of the stem
  int64_t growth;  // channels that a layer adds
  std::array<int, 4> layers;
};

DensenetLayout DensenetLayoutOf(int layers) {
  switch (layers) {
    case 121:
      return {64, 32, {6, 12, 24, 16}};
    case 161:
      return {96, 48, {6, 12, 36, 24}};
    case 169:
      return {64, 32, {6, 12, 32, 32}};
    default:
      return {64, 32, {6, 12, 48, 32}};
  }
}

ExprPtr DenseLayer(ZooBuilder& net, const ExprPtr& x, const std::string& index, int64_t growth) {
  ExprPtr y = net.Relu(net.BatchNorm(x, "batch_1_" + index));
  y = net.Conv(y, "conv2d_1_" + index, {.channels = 4 * growth});
  y = net.Relu(net.BatchNorm(y, "batch_2_" + index));
  return net.Conv(y, "conv2d_2_" + index, {.channels = growth, .kernel = 3, .padding = 1});
}

// Each layer reads the block's input and the results of all layers before it.
ExprPtr DenseBlock(ZooBuilder& net, const ExprPtr& x, const DensenetLayout& layout, size_t stage) {
  std::vector<ExprPtr> features{x};
  ExprPtr all = x;
  for (int i = 0; i < layout.layers[stage]; ++i) {
    features.push_back(DenseLayer(net, all, fmt::format("{}_{}", stage, i), layout.growth));
    all = net.Concat(features);
  }
  return all;
}

ExprPtr Transition(ZooBuilder& net, const ExprPtr& x, size_t stage, int64_t channels) {
  const ExprPtr act = net.Relu(net.BatchNorm(x, fmt::format("batch_t_{}", stage)));
  return net.AvgPool(net.Conv(act, fmt::format("conv_t_{}", stage), {.channels = channels}), 2, 2, 0);
}

}  // namespace

relay::IRModule BuildDensenet(const ZooOptions& options, int layers) {
  const DensenetLayout layout = DensenetLayoutOf(layers);
  ZooBuilder net(options);
  int64_t channels = layout.first;
  ExprPtr x = net.Conv(net.data(), "conv1", {.channels = channels, .kernel = 7, .stride = 2, .padding = 3});
  x = net.MaxPool(net.Relu(net.BatchNorm(x, "batch1")), 3, 2, 1);
  for (size_t stage = 0; stage < layout.layers.size(); ++stage) {
    x = DenseBlock(net, x, layout, stage);
    channels += layout.layers[stage] * layout.growth;
    if (stage + 1 == layout.layers.size()) break;
    channels /= 2;
    x = Transition(net, x, stage, channels);
  }
  x = net.PoolAndFlatten(net.Relu(net.BatchNorm(x, "batch2")));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "dense", options.classes)));
}

}  // namespace hone
