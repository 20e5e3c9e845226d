// Networks small enough for phones.
#include <fmt/format.h>

#include <array>
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

namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kGroups = 3;

struct ShuffleStage {
  int64_t channels;
  int units;
};

constexpr ShuffleStage kShuffleStages[] = {{240, 4}, {480, 8}, {960, 4}};

// Turns (groups, channels / groups) into (channels / groups, groups), so that each later group reads from all of these.
ExprPtr Shuffle(ZooBuilder& net, const ExprPtr& x, int64_t channels, int64_t rows, int64_t columns) {
  const int64_t batch = net.options().batch;
  ExprPtr y = net.Call("reshape", x, {{"newshape", Ints{batch, kGroups, channels / kGroups, rows, columns}}});
  y = net.Call("transpose", y, {{"axes", Ints{0, 2, 1, 3, 4}}});
  return net.Call("reshape", y, {{"newshape", Ints{batch, channels, rows, columns}}});
}

struct ShuffleUnit {
  std::string name;
  int64_t channels = 0;  // channels of the result
  int64_t inputs = 24;
  int64_t rows = 0;  // rows of the input; it has as many columns
  int64_t columns = 0;
  int64_t stride = 1;
  int64_t groups = kGroups;  // groups of the first convolution
};

ExprPtr ShuffleBranch(ZooBuilder& net, const ExprPtr& x, const ShuffleUnit& unit, int64_t outputs) {
  const int64_t inner = unit.channels / 4;
  ExprPtr y = net.ConvBnRelu(x, unit.name + "_reduce", {.channels = inner, .groups = unit.groups});
  y = Shuffle(net, y, inner, unit.rows, unit.columns);
  y = net.DepthwiseConv(y, unit.name + "_depthwise_weight", inner, unit.stride);
  y = net.BatchNorm(y, unit.name + "_depthwise_bn");
  y = net.Conv(y, unit.name + "_expand_conv", {.channels = outputs, .groups = kGroups, .gain = 0.25F});
  return net.BatchNorm(y, unit.name + "_expand_bn");
}

ExprPtr Apply(ZooBuilder& net, const ExprPtr& x, const ShuffleUnit& unit) {
  if (unit.stride == 1) return net.Relu(relay::MakeCall("add", {ShuffleBranch(net, x, unit, unit.channels), x}));
  const ExprPtr branch = ShuffleBranch(net, x, unit, unit.channels - unit.inputs);
  return net.Relu(net.Concat({net.AvgPool(x, 3, 2, 1), branch}));
}

int64_t Halved(int64_t size) { return (size + 1) / 2; }

}  // namespace

relay::IRModule BuildShufflenet(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = net.ConvBnRelu(net.data(), "stem", {.channels = 24, .kernel = 3, .stride = 2, .padding = 1});
  x = net.MaxPool(x, 3, 2, 1);
  ShuffleUnit unit;
  unit.rows = Halved(Halved(options.image_shape[1]));
  unit.columns = Halved(Halved(options.image_shape[2]));
  for (const ShuffleStage& stage : kShuffleStages) {
    for (int i = 1; i <= stage.units; ++i) {
      unit.name = fmt::format("stage{}_unit{}", &stage - kShuffleStages + 2, i);
      unit.channels = stage.channels;
      unit.stride = i == 1 ? 2 : 1;
      // The stem has too few channels to be split into groups.
      unit.groups = unit.inputs == 24 ? 1 : kGroups;
      x = Apply(net, x, unit);
      unit.inputs = stage.channels;
      if (i == 1) unit.rows = Halved(unit.rows), unit.columns = Halved(unit.columns);
    }
  }
  return net.Finish(net.Call("nn.softmax", net.Dense(net.PoolAndFlatten(x), "fc", options.classes)));
}

namespace {

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
