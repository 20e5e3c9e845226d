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

}  // namespace hone
