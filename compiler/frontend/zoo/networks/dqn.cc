#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {

relay::IRModule BuildDqn(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.ConvBiasRelu(net.data(), "conv1", {.channels = 32, .kernel = 8, .stride = 4});
  x = net.ConvBiasRelu(x, "conv2", {.channels = 64, .kernel = 4, .stride = 2});
  x = net.ConvBiasRelu(x, "conv3", {.channels = 64, .kernel = 3});
  x = net.Relu(net.Dense(net.Call("nn.batch_flatten", x), "dense1", 512));
  return net.Finish(net.Dense(x, "dense2", options.classes));
}

}  // namespace hone
