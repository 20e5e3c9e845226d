// Weights and biases as integers, with one scale per output channel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace hone {

struct QuantisedWeight {
  Tensor integers;            // int8, -127 to 127, of the weight's shape
  std::vector<float> scales;  // one per position of the axis
};

// Symmetric: zero stays 0. A channel's scale is its largest magnitude over 127, or the channel's value in `least`
// (empty: none) if that is more. It is 1 for a channel of zeros without such a value. The weight is float32.
QuantisedWeight QuantiseWeight(const Tensor& weight, int64_t axis, const std::vector<double>& least);

// The least scales of a weight with which its bias, one value per channel, fits into 23 bits. The bias can then be
// added to sums of products with a value of that scale.
std::vector<double> LeastScalesFor(const std::vector<double>& bias, double value_scale);

// bias / (value_scale * scales) as int32, rounded to the nearest.
Tensor QuantiseBias(const std::vector<double>& bias, double value_scale, const std::vector<float>& scales);

// The error of each output channel's mean that rounding its weights causes: the sum over inputs of (quantised - weight)
// * mean. Position j of `input_axis` is input j of a group. `means` has one value per input channel; the outputs of a
// group read the inputs of that group. Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias
// Correction", ICCV 2019, section 4.2, with measured means.
std::vector<double> MeanShift(const Tensor& weight, const QuantisedWeight& quantised, int64_t axis, int64_t input_axis,
                              const std::vector<double>& means);

}  // namespace hone
