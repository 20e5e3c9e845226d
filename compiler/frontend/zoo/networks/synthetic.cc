#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A product of each row, and beside it a convolution whose rows a softmax normalises.
ExprPtr SyntheticLayer(ZooBuilder& net, const ExprPtr& x, const std::string& dense, const std::string& conv) {
  Shape shape = net.options().image_shape;
  shape.insert(shape.begin(), net.options().batch);
  const int64_t width = shape.back();
  const ExprPtr rows = net.Call("reshape", x, {{"newshape", std::vector<int64_t>{-1, width}}});
  const ExprPtr weight = net.Param(dense + "_weight", relay::TensorType({width, width}));
  const ExprPtr product = net.Relu(relay::MakeCall("nn.dense", {rows, weight}, {{"units", width}}));
  const ExprPtr image = net.Call("reshape", product, {{"newshape", shape}});
  const ExprPtr convolved = net.Conv(x, conv, {.channels = shape[1], .kernel = 3, .padding = 1});
  return relay::MakeCall("add", {image, net.Call("nn.softmax", convolved)});
}

}  // namespace

relay::IRModule BuildSynthetic(const ZooOptions& options) {
  ZooBuilder net(options);
  const ExprPtr first = SyntheticLayer(net, net.data(), "dense", "conv");
  const ExprPtr normal = net.BatchNorm(net.Bias(first, "bias"), "batch_norm");
  return net.Finish(SyntheticLayer(net, normal, "dense2", "conv2"));
}

}  // namespace hone
