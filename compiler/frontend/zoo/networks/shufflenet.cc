#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;
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

}  // namespace hone
