// Weights and biases as integers, one scale for each output channel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace hone {

struct QuantisedWeight {
  Tensor integers;            // int8, -127 to 127, of the weight's shape
  std::vector<float> scales;  // one per position of the axis
};

// Symmetric: zero stays 0. A scale is the channel's largest magnitude over 127, or what `least` asks for that channel
// (empty: nothing) where that is more; 1 for a channel of zeros that nothing is asked for. The weight is float32.
QuantisedWeight QuantiseWeight(const Tensor& weight, int64_t axis, const std::vector<double>& least);

// The least scales of a weight with which its bias, one value per channel, is held to 23 bits, so that it can be
// added to sums of products of a value of that scale.
std::vector<double> LeastScalesFor(const std::vector<double>& bias, double value_scale);

// bias / (value_scale * scales) as int32, rounded to the nearest.
Tensor QuantiseBias(const std::vector<double>& bias, double value_scale, const std::vector<float>& scales);

// By how much each output channel's mean is off because its weights were rounded: the sum over inputs of (quantised -
// weight) * mean, where position j of `input_axis` is input j of a group of them. `means` has one value per input
// channel; with groups the outputs of a group read the inputs of theirs. Nagel et al., "Data-Free Quantization Through
// Weight Equalization and Bias Correction", ICCV 2019, section 4.2, with means that were measured.
std::vector<double> MeanShift(const Tensor& weight, const QuantisedWeight& quantised, int64_t axis, int64_t input_axis,
                              const std::vector<double>& means);

}  // namespace hone
