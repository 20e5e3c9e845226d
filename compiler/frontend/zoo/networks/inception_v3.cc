#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Convs = std::vector<ZooConv>;

// A 3x3 that keeps the size, one that halves it, and the two strips that a 7x7 or a 3x3 is taken apart into.
ZooConv Three(int64_t channels) { return {.channels = channels, .kernel = 3, .padding = 1}; }
ZooConv Halving(int64_t channels) { return {.channels = channels, .kernel = 3, .stride = 2}; }
ZooConv Row(int64_t channels, int64_t size) {
  return {.channels = channels, .kernel = 1, .kernel_width = size, .padding_width = size / 2};
}
ZooConv Column(int64_t channels, int64_t size) {
  return {.channels = channels, .kernel = size, .padding = size / 2, .kernel_width = 1};
}
ZooConv One(int64_t channels) { return {.channels = channels}; }

// Parameters are NAME_1_conv_weight and on, one number per convolution.
ExprPtr Chain(ZooBuilder& net, ExprPtr x, const std::string& name, const Convs& convs) {
  for (size_t i = 0; i < convs.size(); ++i) {
    const std::string prefix = fmt::format("{}_{}", name, i + 1);
    const ExprPtr conv = net.Conv(x, prefix + "_conv", convs[i]);
    x = net.Relu(net.BatchNorm(conv, prefix + "_bn", 2e-5, /*scale=*/false));
  }
  return x;
}

ExprPtr MixedA(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t pooled) {
  const ExprPtr one = Chain(net, x, name + "_one", {One(64)});
  const ExprPtr five = Chain(net, x, name + "_five", {One(48), {.channels = 64, .kernel = 5, .padding = 2}});
  const ExprPtr three = Chain(net, x, name + "_three", {One(64), Three(96), Three(96)});
  return net.Concat({one, five, three, Chain(net, net.AvgPool(x, 3, 1, 1), name + "_pool", {One(pooled)})});
}

ExprPtr ReductionA(ZooBuilder& net, const ExprPtr& x, const std::string& name) {
  const ExprPtr three = Chain(net, x, name + "_three", {Halving(384)});
  const ExprPtr doubled = Chain(net, x, name + "_double", {One(64), Three(96), Halving(96)});
  return net.Concat({three, doubled, net.MaxPool(x, 3, 2, 0)});
}

ExprPtr MixedB(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t inner) {
  const ExprPtr one = Chain(net, x, name + "_one", {One(192)});
  const ExprPtr seven = Chain(net, x, name + "_seven", {One(inner), Row(inner, 7), Column(192, 7)});
  const ExprPtr doubled =
      Chain(net, x, name + "_double", {One(inner), Column(inner, 7), Row(inner, 7), Column(inner, 7), Row(192, 7)});
  return net.Concat({one, seven, doubled, Chain(net, net.AvgPool(x, 3, 1, 1), name + "_pool", {One(192)})});
}

ExprPtr ReductionB(ZooBuilder& net, const ExprPtr& x, const std::string& name) {
  const ExprPtr three = Chain(net, x, name + "_three", {One(192), Halving(320)});
  const ExprPtr seven = Chain(net, x, name + "_seven", {One(192), Row(192, 7), Column(192, 7), Halving(192)});
  return net.Concat({three, seven, net.MaxPool(x, 3, 2, 0)});
}

ExprPtr MixedC(ZooBuilder& net, const ExprPtr& x, const std::string& name, bool max_pool) {
  const ExprPtr one = Chain(net, x, name + "_one", {One(320)});
  const ExprPtr three = Chain(net, x, name + "_three", {One(384)});
  const ExprPtr doubled = Chain(net, x, name + "_double", {One(448), Three(384)});
  const ExprPtr pooled = max_pool ? net.MaxPool(x, 3, 1, 1) : net.AvgPool(x, 3, 1, 1);
  return net.Concat({one, Chain(net, three, name + "_three_row", {Row(384, 3)}),
                     Chain(net, three, name + "_three_column", {Column(384, 3)}),
                     Chain(net, doubled, name + "_double_row", {Row(384, 3)}),
                     Chain(net, doubled, name + "_double_column", {Column(384, 3)}),
                     Chain(net, pooled, name + "_pool", {One(192)})});
}

}  // namespace

relay::IRModule BuildInceptionV3(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = Chain(net, net.data(), "stem", {Halving(32), {.channels = 32, .kernel = 3}, Three(64)});
  x = Chain(net, net.MaxPool(x, 3, 2, 0), "stem2", {One(80), {.channels = 192, .kernel = 3}});
  x = MixedA(net, net.MaxPool(x, 3, 2, 0), "mixed", 32);
  for (const char* name : {"mixed_1", "mixed_2"}) x = MixedA(net, x, name, 64);
  x = MixedB(net, ReductionA(net, x, "mixed_3"), "mixed_4", 128);
  for (const char* name : {"mixed_5", "mixed_6"}) x = MixedB(net, x, name, 160);
  x = MixedB(net, x, "mixed_7", 192);
  x = MixedC(net, ReductionB(net, x, "mixed_8"), "mixed_9", false);
  x = MixedC(net, x, "mixed_10", true);
  return net.Finish(net.Call("nn.softmax", net.Dense(net.PoolAndFlatten(x), "fc1", options.classes)));
}

}  // namespace hone
