#include <fmt/format.h>

#include <span>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

struct BlockWidth {
  int64_t channels;
  int64_t stride;
};

constexpr BlockWidth kBlocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                                  {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};

relay::ExprPtr SeparableBlock(ZooBuilder& net, relay::ExprPtr x, const std::string& name, int64_t inputs,
                              const BlockWidth& block) {
  x = net.DepthwiseConv(x, name + "_weight", inputs, block.stride);
  x = net.Relu(net.BatchNorm(x, name + "_bn1"));
  x = net.Conv(x, name + "_conv2", {.channels = block.channels});
  return net.Relu(net.BatchNorm(x, name + "_bn2"));
}

// In TVM's shallow network the last block halves the image as well.
constexpr BlockWidth kShallowBlocks[] = {{64, 1},  {128, 2}, {128, 1},  {256, 2},
                                         {256, 1}, {512, 2}, {1024, 2}, {1024, 2}};

relay::IRModule BuildFromBlocks(const ZooOptions& options, std::span<const BlockWidth> blocks, int percent) {
  ZooBuilder net(options);
  const auto narrowed = [percent](int64_t all) { return all * percent / 100; };
  int64_t channels = narrowed(32);
  relay::ExprPtr x =
      net.Conv(net.data(), "conv_block_1_conv", {.channels = channels, .kernel = 3, .stride = 2, .padding = 1});
  x = net.Relu(net.BatchNorm(x, "conv_block_1_bn"));
  int number = 0;
  for (const BlockWidth& given : blocks) {
    const BlockWidth block{narrowed(given.channels), given.stride};
    x = SeparableBlock(net, x, fmt::format("separable_conv_block_{}", ++number), channels, block);
    channels = block.channels;
  }
  // Relay's own network adds this bias along the default axis.
  constexpr int64_t kBiasAxis = 1;
  return net.Finish(net.Call("nn.softmax", net.Dense(net.PoolAndFlatten(x), "fc", options.classes, kBiasAxis)));
}

}  // namespace

relay::IRModule BuildMobilenet(const ZooOptions& options) { return BuildFromBlocks(options, kBlocks, 100); }

relay::IRModule BuildNarrowMobilenet(const ZooOptions& options, int percent) {
  return BuildFromBlocks(options, kBlocks, percent);
}

relay::IRModule BuildShallowMobilenet(const ZooOptions& options) {
  return BuildFromBlocks(options, kShallowBlocks, 100);
}

}  // namespace hone
