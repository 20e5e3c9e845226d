#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

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

}  // namespace hone
