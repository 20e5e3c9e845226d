#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Convs = std::vector<ZooConv>;

// A 3x3 that keeps the size, one that halves it, and the two strips that replace a 7x7 or a 3x3.
ZooConv Three(int64_t channels) { return {.channels = channels, .kernel = 3, .padding = 1}; }
ZooConv Halving(int64_t channels) { return {.channels = channels, .kernel = 3, .stride = 2}; }
ZooConv Row(int64_t channels, int64_t size) {
  return {.channels = channels, .kernel = 1, .kernel_width = size, .padding_width = size / 2};
}
ZooConv Column(int64_t channels, int64_t size) {
  return {.channels = channels, .kernel = size, .padding = size / 2, .kernel_width = 1};
}
ZooConv One(int64_t channels) { return {.channels = channels}; }

// Parameters are NAME_conv1_weight and those of NAME_bn.
ExprPtr ConvUnit(ZooBuilder& net, const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  return net.Relu(net.BatchNorm(net.Conv(x, name + "_conv1", conv), name + "_bn", 2e-5, /*scale=*/false));
}

// Successive units NAME_conv, NAME_conv_1, and so on.
ExprPtr Chain(ZooBuilder& net, ExprPtr x, const std::string& name, const Convs& convs) {
  for (size_t i = 0; i < convs.size(); ++i) {
    x = ConvUnit(net, x, i == 0 ? name + "_conv" : fmt::format("{}_conv_{}", name, i), convs[i]);
  }
  return x;
}

ExprPtr MixedA(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t pooled) {
  const ExprPtr one = Chain(net, x, name, {One(64)});
  const ExprPtr five = Chain(net, x, name + "_tower", {One(48), {.channels = 64, .kernel = 5, .padding = 2}});
  const ExprPtr three = Chain(net, x, name + "_tower_1", {One(64), Three(96), Three(96)});
  return net.Concat({one, five, three, Chain(net, net.AvgPool(x, 3, 1, 1), name + "_tower_2", {One(pooled)})});
}

ExprPtr ReductionA(ZooBuilder& net, const ExprPtr& x, const std::string& name) {
  const ExprPtr three = Chain(net, x, name, {Halving(384)});
  const ExprPtr doubled = Chain(net, x, name + "_tower", {One(64), Three(96), Halving(96)});
  return net.Concat({three, doubled, net.MaxPool(x, 3, 2, 0)});
}

ExprPtr MixedB(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t inner) {
  const ExprPtr one = Chain(net, x, name, {One(192)});
  const ExprPtr seven = Chain(net, x, name + "_tower", {One(inner), Row(inner, 7), Column(192, 7)});
  const ExprPtr doubled =
      Chain(net, x, name + "_tower_1", {One(inner), Column(inner, 7), Row(inner, 7), Column(inner, 7), Row(192, 7)});
  return net.Concat({one, seven, doubled, Chain(net, net.AvgPool(x, 3, 1, 1), name + "_tower_2", {One(192)})});
}

ExprPtr ReductionB(ZooBuilder& net, const ExprPtr& x, const std::string& name) {
  const ExprPtr three = Chain(net, x, name + "_tower", {One(192), Halving(320)});
  const ExprPtr seven = Chain(net, x, name + "_tower_1", {One(192), Row(192, 7), Column(192, 7), Halving(192)});
  return net.Concat({three, seven, net.MaxPool(x, 3, 2, 0)});
}

ExprPtr MixedC(ZooBuilder& net, const ExprPtr& x, const std::string& name, bool max_pool) {
  const ExprPtr one = Chain(net, x, name, {One(320)});
  const ExprPtr three = Chain(net, x, name + "_tower", {One(384)});
  const ExprPtr three_row = ConvUnit(net, three, name + "_tower_mixed_conv", Row(384, 3));
  const ExprPtr three_column = ConvUnit(net, three, name + "_tower_mixed_conv_1", Column(384, 3));
  const ExprPtr doubled = Chain(net, x, name + "_tower_1", {One(448), Three(384)});
  const ExprPtr doubled_row = ConvUnit(net, doubled, name + "_tower_1_mixed_conv", Row(384, 3));
  const ExprPtr doubled_column = ConvUnit(net, doubled, name + "_tower_1_mixed_conv_1", Column(384, 3));
  const ExprPtr pooled = max_pool ? net.MaxPool(x, 3, 1, 1) : net.AvgPool(x, 3, 1, 1);
  return net.Concat(
      {one, three_row, three_column, doubled_row, doubled_column, Chain(net, pooled, name + "_tower_2", {One(192)})});
}

}  // namespace

relay::IRModule BuildInceptionV3(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = ConvUnit(net, net.data(), "conv", Halving(32));
  x = ConvUnit(net, ConvUnit(net, x, "conv_1", {.channels = 32, .kernel = 3}), "conv_2", Three(64));
  x = ConvUnit(net, net.MaxPool(x, 3, 2, 0), "conv_3", One(80));
  x = ConvUnit(net, x, "conv_4", {.channels = 192, .kernel = 3});
  x = MixedA(net, net.MaxPool(x, 3, 2, 0), "mixed", 32);
  for (const char* name : {"mixed_1", "mixed_2"}) x = MixedA(net, x, name, 64);
  x = MixedB(net, ReductionA(net, x, "mixed_3"), "mixed_4", 128);
  for (const char* name : {"mixed_5", "mixed_6"}) x = MixedB(net, x, name, 160);
  x = MixedB(net, x, "mixed_7", 192);
  x = MixedC(net, ReductionB(net, x, "mixed_8"), "mixed_9", false);
  x = MixedC(net, x, "mixed_10", true);
  // In relay.testing the numbers in its two names differ as well.
  x = relay::MakeCall("nn.dense", {net.PoolAndFlatten(x), net.Param("fc1_weight")}, {{"units", options.classes}});
  return net.Finish(net.Call("nn.softmax", net.Bias(x, "fc2_bias", -1)));
}

}  // namespace hone
