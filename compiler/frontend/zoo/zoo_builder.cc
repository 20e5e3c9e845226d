#include "compiler/frontend/zoo/zoo_builder.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/initialise_params.h"
#include "core/tensor.h"

namespace hone {

using relay::ExprPtr;

namespace {

// Seeded values for the zoo's parameters.

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Distribution {
  Fill fill;
  float scale;
  float offset;
};

Distribution DistributionOf(const std::string& name, const Shape& shape, float gain) {
  // kUniform fills [-1, 1).
  if (EndsWith(name, "_gamma")) return {Fill::kUniform, 0.05F, 1.05F};
  if (EndsWith(name, "_moving_var")) return {Fill::kUniform, 0.5F, 1.0F};
  if (EndsWith(name, "_moving_mean") || EndsWith(name, "_beta")) return {Fill::kNormal, 0.1F, 0};
  if (shape.size() < 2) return {Fill::kNormal, 0.05F, 0};
  const double fan_in = static_cast<double>(ElementCount(shape)) / static_cast<double>(shape[0]);
  const double variance = (shape.size() >= 4 ? 2.0 : 1.0) / fan_in;
  return {Fill::kNormal, gain * static_cast<float>(std::sqrt(variance)), 0};
}

// Depends only on its arguments and is the same on every machine. The end of the name gives the kind of parameter. Here
// u is uniform in [0, 1), and n is standard normal:
//
//    conv weight                 normal with variance 2 / fan-in (rank 4, for volumes 5), times gain; see He et al.,
//                                "Delving Deep into Rectifiers", 2015
//    dense weight                normal with variance 1 / fan-in, times gain
//    batch norm                  gamma 1 + 0.1 u, variance 0.5 + u, mean and beta 0.1 n
//    bias                        0.05 n
Tensor ZooWeight(const std::string& name, const Shape& shape, uint64_t seed, float gain) {
  const Distribution distribution = DistributionOf(name, shape, gain);
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, distribution.fill, relay::ParamSeed(name, seed));
  float* values = tensor.data<float>();
  for (int64_t i = 0; i < tensor.elements(); ++i) values[i] = values[i] * distribution.scale + distribution.offset;
  return tensor;
}

relay::TypePtr ImageType(const ZooOptions& options) {
  Shape shape = options.image_shape;
  shape.insert(shape.begin(), options.batch);
  return relay::TensorType(shape);
}

relay::Attrs PoolAttrs(int64_t size, int64_t stride, const std::vector<int64_t>& padding) {
  return {{"pool_size", std::vector<int64_t>{size, size}},
          {"strides", std::vector<int64_t>{stride, stride}},
          {"padding", padding}};
}

}  // namespace

ZooBuilder::ZooBuilder(const ZooOptions& options) : ZooBuilder(options, ImageType(options)) {}

ZooBuilder::ZooBuilder(const ZooOptions& options, relay::TypePtr data, const std::string& name) : options_(options) {
  data_ = Input(name, std::move(data));
}

ExprPtr ZooBuilder::Input(const std::string& name, relay::TypePtr type) {
  params_.push_back(std::make_shared<const relay::Var>(name, std::move(type)));
  return params_.back();
}

ExprPtr ZooBuilder::Param(const std::string& name, relay::TypePtr type, float gain) {
  params_.push_back(std::make_shared<const relay::Var>(name, std::move(type)));
  gains_[name] = gain;
  return params_.back();
}

ExprPtr ZooBuilder::Conv(const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  if (of_volumes()) {
    const auto all_ways = [](int64_t n) { return std::array<int64_t, 3>{n, n, n}; };
    return VolumeConv(x, name,
                      {conv.channels, all_ways(conv.kernel), all_ways(conv.stride), all_ways(conv.padding), conv.gain});
  }
  const ExprPtr weight = Param(name + "_weight", nullptr, conv.gain);
  const bool square = conv.kernel_width == 0;
  const int64_t width = square ? conv.kernel : conv.kernel_width;
  const int64_t side = square ? conv.padding : conv.padding_width;
  return ConvCall({x, weight},
                  {{"strides", std::vector<int64_t>{conv.stride, conv.stride}},
                   {"padding", std::vector<int64_t>{conv.padding, side, conv.padding, side}},
                   {"groups", conv.groups},
                   {"channels", conv.channels},
                   {"kernel_size", std::vector<int64_t>{conv.kernel, width}}},
                  "HWIO");
}

ExprPtr ZooBuilder::VolumeConv(const ExprPtr& x, const std::string& name, const ZooVolumeConv& conv) {
  const auto list = [](const std::array<int64_t, 3>& ways) { return std::vector<int64_t>(ways.begin(), ways.end()); };
  return relay::MakeCall("nn.conv3d", {x, Param(name + "_weight", nullptr, conv.gain)},
                         {{"strides", list(conv.stride)},
                          {"padding", list(conv.padding)},
                          {"channels", conv.channels},
                          {"kernel_size", list(conv.kernel)}});
}

ExprPtr ZooBuilder::DepthwiseConv(const ExprPtr& x, const std::string& name, int64_t channels, int64_t stride) {
  const Shape filters = channels_last() ? Shape{3, 3, channels, 1} : Shape{channels, 1, 3, 3};
  return ConvCall({x, Param(name, relay::TensorType(filters))},
                  {{"strides", std::vector<int64_t>{stride, stride}},
                   {"padding", std::vector<int64_t>(4, 1)},
                   {"groups", channels},
                   {"channels", channels},
                   {"kernel_size", std::vector<int64_t>{3, 3}}},
                  "HWOI");
}

ExprPtr ZooBuilder::ConvCall(std::vector<ExprPtr> operands, relay::Attrs attrs, const char* last_kernel_layout) {
  if (channels_last()) {
    attrs.Set("data_layout", options_.layout);
    attrs.Set("kernel_layout", std::string(last_kernel_layout));
    kernel_layouts_[relay::AsVar(operands[1])->name] = last_kernel_layout;
  }
  return relay::MakeCall("nn.conv2d", std::move(operands), attrs);
}

ExprPtr ZooBuilder::Bias(const ExprPtr& x, const std::string& name, int64_t axis) {
  return relay::MakeCall("nn.bias_add", {x, Param(name)}, {{"axis", axis}});
}

ExprPtr ZooBuilder::ConvBiasRelu(const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  return Relu(Bias(Conv(x, name, conv), name + "_bias"));
}

ExprPtr ZooBuilder::ConvBnRelu(const ExprPtr& x, const std::string& name, const ZooConv& conv) {
  return Relu(BatchNorm(Conv(x, name + "_conv", conv), name + "_bn"));
}

ExprPtr ZooBuilder::BatchNorm(const ExprPtr& x, const std::string& name, double epsilon, bool scale) {
  std::vector<ExprPtr> args = {x};
  for (const char* part : {"_gamma", "_beta", "_moving_mean", "_moving_var"}) args.push_back(Param(name + part));
  const ExprPtr all =
      relay::MakeCall("nn.batch_norm", args, {{"axis", channel_axis()}, {"epsilon", epsilon}, {"scale", scale}});
  return relay::MakeTupleGetItem(all, 0);
}

ExprPtr ZooBuilder::Dense(const ExprPtr& x, const std::string& name, int64_t units, int64_t axis) {
  const ExprPtr product = relay::MakeCall("nn.dense", {x, Param(name + "_weight")}, {{"units", units}});
  return Bias(product, name + "_bias", axis);
}

ExprPtr ZooBuilder::Relu(const ExprPtr& x) { return Call("nn.relu", x); }

ExprPtr ZooBuilder::MaxPool(const ExprPtr& x, int64_t size, int64_t stride, int64_t padding) {
  return PoolCall("nn.max_pool2d", x, PoolAttrs(size, stride, std::vector<int64_t>(4, padding)));
}

ExprPtr ZooBuilder::HalvingMaxPool(const ExprPtr& x) {
  return PoolCall("nn.max_pool2d", x, PoolAttrs(3, 2, {0, 0, 1, 1}));
}

ExprPtr ZooBuilder::AvgPool(const ExprPtr& x, int64_t size, int64_t stride, int64_t padding) {
  return PoolCall("nn.avg_pool2d", x, PoolAttrs(size, stride, std::vector<int64_t>(4, padding)));
}

ExprPtr ZooBuilder::Lrn(const ExprPtr& x, double alpha, double bias) {
  return Call("nn.lrn", x, {{"size", int64_t{5}}, {"alpha", alpha}, {"beta", 0.75}, {"bias", bias}});
}

ExprPtr ZooBuilder::Concat(std::vector<ExprPtr> parts) {
  return relay::MakeCall("concatenate", {relay::MakeTuple(std::move(parts))}, {{"axis", int64_t{1}}});
}

ExprPtr ZooBuilder::Dropout(const ExprPtr& x) { return relay::MakeTupleGetItem(Call("nn.dropout", x), 0); }

ExprPtr ZooBuilder::PoolAndFlatten(const ExprPtr& x) {
  return Call("nn.batch_flatten",
              of_volumes() ? Call("nn.global_avg_pool3d", x) : PoolCall("nn.global_avg_pool2d", x, {}));
}

ExprPtr ZooBuilder::PoolCall(std::string_view op, const ExprPtr& x, relay::Attrs attrs) {
  attrs.Set("layout", options_.layout);
  return Call(op, x, std::move(attrs));
}

ExprPtr ZooBuilder::Call(std::string_view op, const ExprPtr& x, relay::Attrs attrs) {
  return relay::MakeCall(op, {x}, std::move(attrs));
}

relay::IRModule ZooBuilder::Finish(const ExprPtr& body) const {
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(params_, body);
  // Only inference knows the shapes of weights without types; the module itself keeps them untyped, as written.
  const relay::FunctionPtr typed = relay::InferType(module.main);
  for (const auto& var : typed->params) {
    const auto gain = gains_.find(var->name);
    if (gain == gains_.end()) continue;
    module.params.emplace_back(var->name, Value(*var, gain->second));
  }
  return module;
}

Tensor ZooBuilder::Value(const relay::Var& param, float gain) const {
  const Shape& shape = param.type->shape;
  const auto last = kernel_layouts_.find(param.name);
  if (last == kernel_layouts_.end()) return ZooWeight(param.name, shape, options_.seed, gain);
  const Tensor first = ZooWeight(param.name, relay::Reordered(shape, last->second, "OIHW"), options_.seed, gain);
  return relay::Reordered(first, "OIHW", last->second);
}

}  // namespace hone
