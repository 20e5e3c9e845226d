// The layers of the zoo's networks, with TVM's parameter names.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/expr.h"

namespace hone {

struct ZooConv {
  int64_t channels = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;
  int64_t kernel_width = 0;  // 0: the window is square, and kernel and padding hold for both axes
  int64_t padding_width = 0;
  // Scales the random weights. Branches that are added to their input are kept small; otherwise the sums of a deep
  // network would grow without bound.
  float gain = 1;
};

// A convolution over depth, height and width, with a number for each.
struct ZooVolumeConv {
  int64_t channels = 0;
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0};
  float gain = 1;
};

// Builds one network, starting at its input. Parameters are in the order of their creation.
class ZooBuilder {
 public:
  // Takes images: options.batch x options.image_shape, whose numbers were checked. If options.layout is NHWC, images
  // and values computed from them are NHWC. Weights are then HWIO, depthwise ones HWOI.
  explicit ZooBuilder(const ZooOptions& options);
  ZooBuilder(const ZooOptions& options, relay::TypePtr data, const std::string& name = "data");

  const ZooOptions& options() const { return options_; }
  const relay::ExprPtr& data() const { return data_; }
  int64_t image_height() const { return options_.image_shape[channels_last() ? 0 : of_volumes() ? 2 : 1]; }

  // A further input.
  relay::ExprPtr Input(const std::string& name, relay::TypePtr type);
  // A parameter without a type, unless `type` is given. Finish gives it values.
  relay::ExprPtr Param(const std::string& name, relay::TypePtr type = nullptr, float gain = 1);
  // Uses NAME_weight, without a bias. For volumes the window is a cube.
  relay::ExprPtr Conv(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  relay::ExprPtr VolumeConv(const relay::ExprPtr& x, const std::string& name, const ZooVolumeConv& conv);
  // One 3x3 filter per channel. NAME is the weight's whole name, and its type is given.
  relay::ExprPtr DepthwiseConv(const relay::ExprPtr& x, const std::string& name, int64_t channels, int64_t stride);
  relay::ExprPtr Bias(const relay::ExprPtr& x, const std::string& name, int64_t axis = 1);
  // Uses NAME_weight and NAME_bias.
  relay::ExprPtr ConvBiasRelu(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  // Uses NAME_conv_weight, then the four parameters of NAME_bn.
  relay::ExprPtr ConvBnRelu(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  // Uses NAME_gamma, NAME_beta, NAME_moving_mean and NAME_moving_var; returns the first of batch_norm's three results.
  relay::ExprPtr BatchNorm(const relay::ExprPtr& x, const std::string& name, double epsilon = 1e-5, bool scale = true);
  // Uses NAME_weight and NAME_bias; the bias lies along `axis`.
  relay::ExprPtr Dense(const relay::ExprPtr& x, const std::string& name, int64_t units, int64_t axis = -1);
  relay::ExprPtr Relu(const relay::ExprPtr& x);
  relay::ExprPtr MaxPool(const relay::ExprPtr& x, int64_t size, int64_t stride, int64_t padding);
  // 3x3 windows with a stride of 2. If they do not fit evenly, the last ones reach one element past the image.
  relay::ExprPtr HalvingMaxPool(const relay::ExprPtr& x);
  // The mean of the elements within the image.
  relay::ExprPtr AvgPool(const relay::ExprPtr& x, int64_t size, int64_t stride, int64_t padding);
  // Local response normalisation across 5 channels.
  relay::ExprPtr Lrn(const relay::ExprPtr& x, double alpha, double bias);
  // Concatenates along the channels.
  relay::ExprPtr Concat(std::vector<relay::ExprPtr> parts);
  relay::ExprPtr Dropout(const relay::ExprPtr& x);
  // Global average pool, then flatten.
  relay::ExprPtr PoolAndFlatten(const relay::ExprPtr& x);
  relay::ExprPtr Call(std::string_view op, const relay::ExprPtr& x, relay::Attrs attrs = {});

  // The function with its parameters bound to seeded values. A weight's values are the same in every layout.
  relay::IRModule Finish(const relay::ExprPtr& body) const;

 private:
  bool of_volumes() const { return options_.image_shape.size() == 4; }
  bool channels_last() const { return options_.layout == "NHWC"; }
  int64_t channel_axis() const { return channels_last() ? 3 : 1; }
  // An nn.conv2d of data and weight. With channels last, `last_kernel_layout` is the weight's order of axes.
  relay::ExprPtr ConvCall(std::vector<relay::ExprPtr> operands, relay::Attrs attrs, const char* last_kernel_layout);
  relay::ExprPtr PoolCall(std::string_view op, const relay::ExprPtr& x, relay::Attrs attrs);
  Tensor Value(const relay::Var& param, float gain) const;

  ZooOptions options_;
  relay::ExprPtr data_;
  std::vector<std::shared_ptr<const relay::Var>> params_;
  std::map<std::string, float> gains_;                 // by parameter that is not an input
  std::map<std::string, std::string> kernel_layouts_;  // by weight that is not OIHW
};

}  // namespace hone
