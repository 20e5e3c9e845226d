#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Widths of each stage's convolutions; one narrower than its neighbours is a 1x1.
const std::vector<std::vector<int64_t>> kDarknetStages = {
    {32}, {64}, {128, 64, 128}, {256, 128, 256}, {512, 256, 512, 256, 512}, {1024, 512, 1024, 512, 1024}};

ExprPtr ConvBnLeaky(ZooBuilder& net, const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  return net.Call("nn.leaky_relu", net.BatchNorm(net.Conv(x, name + "_conv", conv), name + "_bn"), {{"alpha", 0.1}});
}

}  // namespace

relay::IRModule BuildDarknet(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = net.data();
  for (size_t stage = 0; stage < kDarknetStages.size(); ++stage) {
    if (stage > 0) x = net.MaxPool(x, 2, 2, 0);
    for (size_t i = 0; i < kDarknetStages[stage].size(); ++i) {
      const std::string name = fmt::format("stage{}_{}", stage + 1, i + 1);
      const ZooConv wide{.channels = kDarknetStages[stage][i], .kernel = 3, .padding = 1};
      const ZooConv narrow{.channels = kDarknetStages[stage][i]};
      x = ConvBnLeaky(net, x, name, i % 2 == 0 ? wide : narrow);
    }
  }
  x = net.Bias(net.Conv(x, "classes", {.channels = options.classes}), "classes_bias");
  return net.Finish(net.Call("nn.softmax", net.PoolAndFlatten(x)));
}

}  // namespace hone
