#include <fmt/format.h>

#include <array>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

constexpr std::array<int64_t, 5> kVggFilters{64, 128, 256, 512, 512};

std::array<int, 5> ConvsPerStage(int layers) {
  switch (layers) {
    case 11:
      return {1, 1, 2, 2, 2};
    case 13:
      return {2, 2, 2, 2, 2};
    case 16:
      return {2, 2, 3, 3, 3};
    default:
      return {2, 2, 4, 4, 4};
  }
}

relay::IRModule BuildVggLayers(const ZooOptions& options, int layers, bool batch_norm) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.data();
  const std::array<int, 5> convs = ConvsPerStage(layers);
  for (size_t stage = 0; stage < convs.size(); ++stage) {
    for (int i = 1; i <= convs[stage]; ++i) {
      const std::string name = fmt::format("conv{}_{}", stage + 1, i);
      x = net.Conv(x, name, {.channels = kVggFilters[stage], .kernel = 3, .padding = 1});
      x = net.Bias(x, name + "_bias");
      if (batch_norm) x = net.BatchNorm(x, fmt::format("bn{}_{}", stage + 1, i));
      x = net.Relu(x);
    }
    x = net.MaxPool(x, 2, 2, 0);
  }
  x = net.Call("nn.batch_flatten", x);
  for (const char* name : {"fc6", "fc7"}) x = net.Dropout(net.Relu(net.Dense(x, name, 4096)));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc8", options.classes)));
}

}  // namespace

relay::IRModule BuildVgg(const ZooOptions& options, int layers) { return BuildVggLayers(options, layers, false); }

relay::IRModule BuildVggBn(const ZooOptions& options, int layers) { return BuildVggLayers(options, layers, true); }

}  // namespace hone
