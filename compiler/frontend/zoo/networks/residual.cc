// Networks whose layers also read earlier ones: sums in ResNet, concatenations in DenseNet.
#include <fmt/format.h>

#include <array>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr double kEpsilon = 2e-5;
constexpr float kBranchGain = 0.25F;

struct ResnetLayout {
  std::array<int, 4> units;
  std::array<int64_t, 5> filters;  // filters of the stem, then of each stage
  bool bottleneck;
};

ResnetLayout ResnetLayoutOf(int layers) {
  constexpr std::array<int64_t, 5> kBasic{64, 64, 128, 256, 512};
  constexpr std::array<int64_t, 5> kBottleneck{64, 256, 512, 1024, 2048};
  switch (layers) {
    case 18:
      return {{2, 2, 2, 2}, kBasic, false};
    case 34:
      return {{3, 4, 6, 3}, kBasic, false};
    case 50:
      return {{3, 4, 6, 3}, kBottleneck, true};
    case 101:
      return {{3, 4, 23, 3}, kBottleneck, true};
    case 152:
      return {{3, 8, 36, 3}, kBottleneck, true};
    case 200:
      return {{3, 24, 36, 3}, kBottleneck, true};
    default:
      return {{3, 30, 48, 8}, kBottleneck, true};
  }
}

ExprPtr Activated(ZooBuilder& net, const ExprPtr& x, const std::string& name) {
  return net.Relu(net.BatchNorm(x, name, kEpsilon));
}

// The value that a unit adds to its input. `act` is the input after its first batch norm and activation.
ExprPtr ResnetBranch(ZooBuilder& net, const ExprPtr& act, const std::string& name, int64_t filters, int64_t stride,
                     bool bottleneck) {
  if (!bottleneck) {
    ExprPtr x = net.Conv(act, name + "_conv1", {.channels = filters, .kernel = 3, .stride = stride, .padding = 1});
    x = Activated(net, x, name + "_bn2");
    return net.Conv(x, name + "_conv2", {.channels = filters, .kernel = 3, .padding = 1, .gain = kBranchGain});
  }
  ExprPtr x = net.Conv(act, name + "_conv1", {.channels = filters / 4, .stride = stride});
  x = Activated(net, x, name + "_bn2");
  x = net.Conv(x, name + "_conv2", {.channels = filters / 4, .kernel = 3, .padding = 1});
  x = Activated(net, x, name + "_bn3");
  return net.Conv(x, name + "_conv3", {.channels = filters, .gain = kBranchGain});
}

ExprPtr ResnetUnit(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t filters, int64_t stride,
                   bool first, bool bottleneck) {
  const ExprPtr act = Activated(net, x, name + "_bn1");
  const ExprPtr branch = ResnetBranch(net, act, name, filters, stride, bottleneck);
  const ExprPtr shortcut = first ? net.Conv(act, name + "_sc", {.channels = filters, .stride = stride}) : x;
  return relay::MakeCall("add", {branch, shortcut});
}

ExprPtr Stem(ZooBuilder& net, int64_t filters) {
  const ExprPtr data = net.BatchNorm(net.data(), "bn_data", kEpsilon, /*scale=*/false);
  if (net.image_height() <= 32) {
    return net.Conv(data, "conv0", {.channels = filters, .kernel = 3, .padding = 1});
  }
  const ExprPtr x = net.Conv(data, "conv0", {.channels = filters, .kernel = 7, .stride = 2, .padding = 3});
  return net.MaxPool(Activated(net, x, "bn0"), 3, 2, 1);
}

ExprPtr VolumeStem(ZooBuilder& net, int64_t filters) {
  const ExprPtr data = net.BatchNorm(net.data(), "bn_data", kEpsilon, /*scale=*/false);
  if (net.image_height() <= 32) return net.Conv(data, "conv0", {.channels = filters, .kernel = 3, .padding = 1});
  const ExprPtr x = net.VolumeConv(
      data, "conv0", {.channels = filters, .kernel = {3, 7, 7}, .stride = {1, 2, 2}, .padding = {1, 3, 3}});
  return Activated(net, x, "bn0");
}

// The stages and the layers behind them.
relay::IRModule Finished(ZooBuilder& net, ExprPtr x, const ResnetLayout& layout) {
  for (size_t stage = 0; stage < layout.units.size(); ++stage) {
    for (int unit = 0; unit < layout.units[stage]; ++unit) {
      const std::string name = fmt::format("stage{}_unit{}", stage + 1, unit + 1);
      const int64_t stride = stage > 0 && unit == 0 ? 2 : 1;
      x = ResnetUnit(net, x, name, layout.filters[stage + 1], stride, unit == 0, layout.bottleneck);
    }
  }
  x = net.PoolAndFlatten(Activated(net, x, "bn1"));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc1", net.options().classes)));
}

}  // namespace

relay::IRModule BuildResnet(const ZooOptions& options, int layers) {
  const ResnetLayout layout = ResnetLayoutOf(layers);
  ZooBuilder net(options);
  return Finished(net, Stem(net, layout.filters[0]), layout);
}

relay::IRModule BuildResnet3d(const ZooOptions& options, int layers) {
  const ResnetLayout layout = ResnetLayoutOf(layers);
  ZooBuilder net(options);
  return Finished(net, VolumeStem(net, layout.filters[0]), layout);
}

namespace {

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
