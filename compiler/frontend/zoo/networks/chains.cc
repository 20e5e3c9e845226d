// Networks in which each layer reads the one before it only.
#include <fmt/format.h>

#include <array>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {

relay::IRModule BuildAlexnet(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", {.channels = 96, .kernel = 11, .stride = 4});
  x = net.MaxPool(net.Lrn(x, 1e-4, 1), 3, 2, 0);
  x = net.ConvBiasRelu(x, "conv2", {.channels = 256, .kernel = 5, .padding = 2, .groups = 2});
  x = net.MaxPool(net.Lrn(x, 1e-4, 1), 3, 2, 0);
  x = net.ConvBiasRelu(x, "conv3", {.channels = 384, .kernel = 3, .padding = 1});
  x = net.ConvBiasRelu(x, "conv4", {.channels = 384, .kernel = 3, .padding = 1, .groups = 2});
  x = net.ConvBiasRelu(x, "conv5", {.channels = 256, .kernel = 3, .padding = 1, .groups = 2});
  x = net.Call("nn.batch_flatten", net.HalvingMaxPool(x));
  for (const char* name : {"fc6", "fc7"}) x = net.Dropout(net.Relu(net.Dense(x, name, 4096)));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc8", options.classes)));
}

relay::IRModule BuildZfnet512(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", {.channels = 96, .kernel = 7, .stride = 2});
  x = net.MaxPool(net.Lrn(x, 5e-4, 2), 3, 2, 0);
  x = net.ConvBiasRelu(x, "conv2", {.channels = 256, .kernel = 5, .stride = 2});
  x = net.MaxPool(net.Lrn(x, 5e-4, 2), 3, 2, 0);
  for (const char* name : {"conv3", "conv4", "conv5"}) {
    x = net.ConvBiasRelu(x, name, {.channels = 512, .kernel = 3, .padding = 1});
  }
  x = net.Call("nn.batch_flatten", net.MaxPool(x, 2, 2, 0));
  x = net.Dropout(net.Relu(net.Dense(x, "fc6", 4096)));
  x = net.Dropout(net.Relu(net.Dense(x, "fc7", 1024)));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc8", options.classes)));
}

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

relay::IRModule BuildDqn(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", {.channels = 32, .kernel = 8, .stride = 4});
  x = net.ConvBiasRelu(x, "conv2", {.channels = 64, .kernel = 4, .stride = 2});
  x = net.ConvBiasRelu(x, "conv3", {.channels = 64, .kernel = 3});
  x = net.Relu(net.Dense(net.Call("nn.batch_flatten", x), "dense1", 512));
  return net.Finish(net.Dense(x, "dense2", options.classes));
}

relay::IRModule BuildMlp(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.Call("nn.batch_flatten", net.data());
  x = net.Relu(net.Dense(x, "fc1", 128));
  x = net.Relu(net.Dense(x, "fc2", 64));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc3", options.classes)));
}

}  // namespace hone
