#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {

relay::IRModule BuildMlp(const ZooOptions& options) {
  ZooBuilder net(options);
  relay::ExprPtr x = net.Call("nn.batch_flatten", net.data());
  x = net.Relu(net.Dense(x, "fc1", 128));
  x = net.Relu(net.Dense(x, "fc2", 64));
  return net.Finish(net.Call("nn.softmax", net.Dense(x, "fc3", options.classes)));
}

}  // namespace hone
