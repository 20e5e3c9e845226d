#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {

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

}  // namespace hone
