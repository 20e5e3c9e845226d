// The layers that the zoo's networks are made of, with TVM's parameter names.
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
  int64_t kernel_width = 0;  // 0: the window is square, kernel and padding hold for both ways
  int64_t padding_width = 0;
  // Scales the random weights. Branches that are added to what they came from are kept small, or the sums of a deep
  // network grow without bound.
  float gain = 1;
};

// Over depth, height and width, each way as the numbers say.
struct ZooVolumeConv {
  int64_t channels = 0;
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0};
  float gain = 1;
};

// Builds one network from its input on. Parameters are in the order in which they are made.
class ZooBuilder {
 public:
  // Takes images: options.batch x options.image_shape, whose numbers were checked. Where options.layout is NHWC, so are
  // images and what is made of them, and weights are HWIO, depthwise ones HWOI.
  explicit ZooBuilder(const ZooOptions& options);
  ZooBuilder(const ZooOptions& options, relay::TypePtr data, const std::string& name = "data");

  const ZooOptions& options() const { return options_; }
  const relay::ExprPtr& data() const { return data_; }
  int64_t image_height() const { return options_.image_shape[channels_last() ? 0 : of_volumes() ? 2 : 1]; }

  // An input beside the first.
  relay::ExprPtr Input(const std::string& name, relay::TypePtr type);
  // A parameter without a type, unless its shape is given. Finish gives it values.
  relay::ExprPtr Param(const std::string& name, relay::TypePtr type = nullptr, float gain = 1);
  // NAME_weight; no bias. Where images are volumes the window is a cube.
  relay::ExprPtr Conv(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  relay::ExprPtr VolumeConv(const relay::ExprPtr& x, const std::string& name, const ZooVolumeConv& conv);
  // One 3x3 filter per channel. NAME is the weight's whole name and its type is given.
  relay::ExprPtr DepthwiseConv(const relay::ExprPtr& x, const std::string& name, int64_t channels, int64_t stride);
  relay::ExprPtr Bias(const relay::ExprPtr& x, const std::string& name, int64_t axis = 1);
  // NAME_weight and NAME_bias.
  relay::ExprPtr ConvBiasRelu(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  // NAME_conv_weight, then NAME_bn's four.
  relay::ExprPtr ConvBnRelu(const relay::ExprPtr& x, const std::string& name, const ZooConv& conv);
  // NAME_gamma, NAME_beta, NAME_moving_mean, NAME_moving_var; the first of batch_norm's three results.
  relay::ExprPtr BatchNorm(const relay::ExprPtr& x, const std::string& name, double epsilon = 1e-5, bool scale = true);
  // NAME_weight and NAME_bias; the bias lies along `axis`.
  relay::ExprPtr Dense(const relay::ExprPtr& x, const std::string& name, int64_t units, int64_t axis = -1);
  relay::ExprPtr Relu(const relay::ExprPtr& x);
  relay::ExprPtr MaxPool(const relay::ExprPtr& x, int64_t size, int64_t stride, int64_t padding);
  // 3x3 windows 2 apart; where they do not fit in evenly the last ones reach one past the image.
  relay::ExprPtr HalvingMaxPool(const relay::ExprPtr& x);
  // The mean of what lies within the image.
  relay::ExprPtr AvgPool(const relay::ExprPtr& x, int64_t size, int64_t stride, int64_t padding);
  // Local response normalisation across 5 channels.
  relay::ExprPtr Lrn(const relay::ExprPtr& x, double alpha, double bias);
  // Along the channels.
  relay::ExprPtr Concat(std::vector<relay::ExprPtr> parts);
  relay::ExprPtr Dropout(const relay::ExprPtr& x);
  // Global average pool, then flatten.
  relay::ExprPtr PoolAndFlatten(const relay::ExprPtr& x);
  relay::ExprPtr Call(std::string_view op, const relay::ExprPtr& x, relay::Attrs attrs = {});

  // The function with its parameters bound to seeded values: a weight's are the same in every layout.
  relay::IRModule Finish(const relay::ExprPtr& body) const;

 private:
  bool of_volumes() const { return options_.image_shape.size() == 4; }
  bool channels_last() const { return options_.layout == "NHWC"; }
  int64_t channel_axis() const { return channels_last() ? 3 : 1; }
  // nn.conv2d of data and weight; with channels last the weight has this order of axes.
  relay::ExprPtr ConvCall(std::vector<relay::ExprPtr> operands, relay::Attrs attrs, const char* last_kernel_layout);
  relay::ExprPtr PoolCall(std::string_view op, const relay::ExprPtr& x, relay::Attrs attrs);
  Tensor Value(const relay::Var& param, float gain) const;

  ZooOptions options_;
  relay::ExprPtr data_;
  std::vector<std::shared_ptr<const relay::Var>> params_;
  std::map<std::string, float> gains_;                 // of those that are no inputs
  std::map<std::string, std::string> kernel_layouts_;  // of weights that are not OIHW
};

}  // namespace hone
