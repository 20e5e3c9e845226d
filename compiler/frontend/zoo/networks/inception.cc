// GoogLeNet and its successors: modules of parallel branches that are concatenated.
#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct GooglenetWidths {
  const char* name;
  int64_t one;
  int64_t three_reduced;
  int64_t three;
  int64_t five_reduced;
  int64_t five;
  int64_t pooled;
};

constexpr GooglenetWidths kGooglenetStages[3][5] = {
    {{"inception_3a", 64, 96, 128, 16, 32, 32}, {"inception_3b", 128, 128, 192, 32, 96, 64}},
    {{"inception_4a", 192, 96, 208, 16, 48, 64},
     {"inception_4b", 160, 112, 224, 24, 64, 64},
     {"inception_4c", 128, 128, 256, 24, 64, 64},
     {"inception_4d", 112, 144, 288, 32, 64, 64},
     {"inception_4e", 256, 160, 320, 32, 128, 128}},
    {{"inception_5a", 256, 160, 320, 32, 128, 128}, {"inception_5b", 384, 192, 384, 48, 128, 128}}};

ExprPtr GooglenetInception(ZooBuilder& net, const ExprPtr& x, const GooglenetWidths& widths) {
  const std::string name = widths.name;
  const ExprPtr one = net.ConvBiasRelu(x, name + "_1x1", {.channels = widths.one});
  ExprPtr three = net.ConvBiasRelu(x, name + "_3x3_reduce", {.channels = widths.three_reduced});
  three = net.ConvBiasRelu(three, name + "_3x3", {.channels = widths.three, .kernel = 3, .padding = 1});
  ExprPtr five = net.ConvBiasRelu(x, name + "_5x5_reduce", {.channels = widths.five_reduced});
  five = net.ConvBiasRelu(five, name + "_5x5", {.channels = widths.five, .kernel = 5, .padding = 2});
  const ExprPtr pooled = net.ConvBiasRelu(net.MaxPool(x, 3, 1, 1), name + "_pool_proj", {.channels = widths.pooled});
  return net.Concat({one, three, five, pooled});
}

}  // namespace

relay::IRModule BuildGooglenet(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
  x = net.Lrn(net.HalvingMaxPool(x), 1e-4, 1);
  x = net.ConvBiasRelu(x, "conv2_reduce", {.channels = 64});
  x = net.ConvBiasRelu(x, "conv2", {.channels = 192, .kernel = 3, .padding = 1});
  x = net.Lrn(x, 1e-4, 1);
  for (const auto& stage : kGooglenetStages) {
    x = net.HalvingMaxPool(x);
    for (const GooglenetWidths& widths : stage) {
      if (widths.name != nullptr) x = GooglenetInception(net, x, widths);
    }
  }
  x = net.Dropout(net.PoolAndFlatten(x));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc", options.classes)));
}

namespace {

// A width of 0 omits that branch: modules that halve the image have neither a 1x1 nor a projection.
struct InceptionV2Widths {
  const char* name;
  int64_t one;
  int64_t three_reduced;
  int64_t three;
  int64_t double_reduced;
  int64_t doubled;
  int64_t pooled;
  bool max_pool;
};

constexpr InceptionV2Widths kModules[] = {
    {"inception_3a", 64, 64, 64, 64, 96, 32, false},       {"inception_3b", 64, 64, 96, 64, 96, 64, false},
    {"inception_3c", 0, 128, 160, 64, 96, 0, true},        {"inception_4a", 224, 64, 96, 96, 128, 128, false},
    {"inception_4b", 192, 96, 128, 96, 128, 128, false},   {"inception_4c", 160, 128, 160, 128, 160, 96, false},
    {"inception_4d", 96, 128, 192, 160, 192, 96, false},   {"inception_4e", 0, 128, 192, 192, 256, 0, true},
    {"inception_5a", 352, 192, 320, 160, 224, 128, false}, {"inception_5b", 352, 192, 320, 192, 224, 128, true}};

ExprPtr Inception(ZooBuilder& net, const ExprPtr& x, const InceptionV2Widths& widths) {
  const std::string name = widths.name;
  const bool halves = widths.one == 0;
  const int64_t stride = halves ? 2 : 1;
  std::vector<ExprPtr> parts;
  if (!halves) parts.push_back(net.ConvBnRelu(x, name + "_1x1", {.channels = widths.one}));
  ExprPtr y = net.ConvBnRelu(x, name + "_3x3_reduce", {.channels = widths.three_reduced});
  const ZooConv three{.channels = widths.three, .kernel = 3, .stride = stride, .padding = 1};
  parts.push_back(net.ConvBnRelu(y, name + "_3x3", three));
  y = net.ConvBnRelu(x, name + "_double_3x3_reduce", {.channels = widths.double_reduced});
  y = net.ConvBnRelu(y, name + "_double_3x3_1", {.channels = widths.doubled, .kernel = 3, .padding = 1});
  const ZooConv last{.channels = widths.doubled, .kernel = 3, .stride = stride, .padding = 1};
  parts.push_back(net.ConvBnRelu(y, name + "_double_3x3_2", last));
  if (halves) {
    parts.push_back(net.HalvingMaxPool(x));
  } else {
    y = widths.max_pool ? net.MaxPool(x, 3, 1, 1) : net.AvgPool(x, 3, 1, 1);
    parts.push_back(net.ConvBnRelu(y, name + "_pool_proj", {.channels = widths.pooled}));
  }
  return net.Concat(std::move(parts));
}

}  // namespace

relay::IRModule BuildInceptionV2(const ZooOptions& options) {
  ZooBuilder net(options);
  ExprPtr x = net.ConvBnRelu(net.data(), "conv1", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
  x = net.ConvBnRelu(net.HalvingMaxPool(x), "conv2_reduce", {.channels = 64});
  x = net.ConvBnRelu(x, "conv2", {.channels = 192, .kernel = 3, .padding = 1});
  x = net.HalvingMaxPool(x);
  for (const InceptionV2Widths& widths : kModules) x = Inception(net, x, widths);
  return net.Finish(net.Call("nn.softmax", net.Dense(net.PoolAndFlatten(x), "fc", options.classes)));
}

namespace {

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
