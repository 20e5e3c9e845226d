// How far the outputs of a model that rounds, or is computed in fewer bits, may be from each other and all be right.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace hone {

// Whether the model rounds anything: QuantizeLinear and its kind.
bool Rounds(const relay::IRModule& typed);

// A float sum in another order may put a value on the other side of a half, and then its rounding is a quantum off. Per
// output, the largest max |y - r| / max |r| between the reference r and references y whose values to be rounded are off
// by up to 2^-18 of the largest of their tensor, as sums of a few thousand products may be: all upwards, all downwards,
// and twice at random. Takes five runs of the reference. All zero for a model that does not round.
std::vector<double> RoundingSpread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);

// The same of a model whose convolutions, dense layers and products of computed matrices read and make bfloat16, as in
// a package of that precision: the largest max |y - r| / max |r| between the reference r and references y that round
// their data, weights and results, once as they are and twice off by up to half a last place. Takes four runs of the
// reference. All zero without such layers.
std::vector<double> BFloat16Spread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);

// The same where weights are rounded to float16 that NarrowWeights rounds for a package with this plan.
std::vector<double> HalfWeightsSpread(const relay::IRModule& typed, const Plan& plan,
                                      const std::map<std::string, Tensor>& inputs);

}  // namespace hone
