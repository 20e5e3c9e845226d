// Networks whose results are images.
#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kCode = 100;
constexpr int64_t kDcganFilters = 128;

// Doubles the rows and columns.
ExprPtr Deconv(ZooBuilder& net, const ExprPtr& x, const std::string& name, int64_t channels, float gain = 1) {
  const ExprPtr weight = net.Param(name + "_weight", nullptr, gain);
  return relay::MakeCall("nn.conv2d_transpose", {x, weight},
                         {{"strides", std::vector<int64_t>{2, 2}},
                          {"padding", std::vector<int64_t>(4, 1)},
                          {"channels", channels},
                          {"kernel_size", std::vector<int64_t>{4, 4}}});
}

void RequireHalvings(const Shape& image) {
  if (image[1] % 16 == 0 && image[2] % 16 == 0) return;
  throw Error(ExitCode::kUsage,
              fmt::format("dcgan is to make images of {}; rows and columns must be multiples of 16", ShapeText(image)));
}

}  // namespace

relay::IRModule BuildDcgan(const ZooOptions& options) {
  const Shape& image = options.image_shape;
  ZooBuilder net(options, relay::TensorType({options.batch, kCode}));
  RequireHalvings(image);
  const Shape first{options.batch, 8 * kDcganFilters, image[1] / 16, image[2] / 16};
  ExprPtr x =
      relay::MakeCall("nn.dense", {net.data(), net.Param("dense_weight")}, {{"units", first[1] * first[2] * first[3]}});
  x = net.Call("reshape", net.Relu(x), {{"newshape", std::vector<int64_t>(first.begin(), first.end())}});
  int64_t channels = first[1];
  for (const char* name : {"g2", "g3", "g4"}) {
    channels /= 2;
    x = Deconv(net, x, std::string(name) + "_deconv", channels);
    x = net.Relu(net.BatchNorm(x, std::string(name) + "_batch_norm", 1e-5, /*scale=*/false));
  }
  // A small gain, because larger sums would saturate tanh.
  return net.Finish(net.Call("tanh", Deconv(net, x, "g5_deconv", image[0], 0.1F)));
}

namespace {

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
