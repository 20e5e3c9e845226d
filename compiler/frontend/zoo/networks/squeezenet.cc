#include <fmt/format.h>

#include <array>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr Fire(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t squeeze, int64_t expand) {
  const ExprPtr input = net.ConvBiasRelu(x, name + "_input_conv", {.channels = squeeze});
  const ExprPtr left = net.ConvBiasRelu(input, name + "_left_conv", {.channels = expand});
  const ExprPtr right = net.ConvBiasRelu(input, name + "_right_conv", {.channels = expand, .kernel = 3, .padding = 1});
  return net.Concat({left, right});
}

struct Module {
  int64_t squeeze;
  int64_t expand;
  bool pool_before;
};

using Modules = std::array<Module, 8>;

constexpr Modules kFires = {{{16, 64, true},
                             {16, 64, false},
                             {32, 128, false},
                             {32, 128, true},
                             {48, 192, false},
                             {48, 192, false},
                             {64, 256, false},
                             {64, 256, true}}};
constexpr Modules kEarlierPools = {{{16, 64, true},
                                    {16, 64, false},
                                    {32, 128, true},
                                    {32, 128, false},
                                    {48, 192, true},
                                    {48, 192, false},
                                    {64, 256, false},
                                    {64, 256, false}}};

relay::IRModule BuildFromFires(const ZooOptions& options, const ZooConv& stem, const Modules& fires) {
  ZooBuilder net(options);
  ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", stem);
  int number = 0;
  for (const Module& fire : fires) {
    if (fire.pool_before) x = net.MaxPool(x, 3, 2, 0);
    x = Fire(net, x, fmt::format("fire{}", ++number), fire.squeeze, fire.expand);
  }
  x = net.ConvBiasRelu(net.Dropout(x), "conv_final", {.channels = options.classes});
  return net.Finish(net.Call("nn.softmax", net.PoolAndFlatten(x)));
}

}  // namespace

relay::IRModule BuildSqueezenet(const ZooOptions& options) {
  return BuildFromFires(options, {.channels = 96, .kernel = 7, .stride = 2, .padding = 3}, kFires);
}

relay::IRModule BuildSqueezenet11(const ZooOptions& options) {
  return BuildFromFires(options, {.channels = 64, .kernel = 3, .stride = 2, .padding = 1}, kEarlierPools);
}

}  // namespace hone
