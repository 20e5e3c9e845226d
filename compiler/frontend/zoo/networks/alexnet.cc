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

}  // namespace hone
