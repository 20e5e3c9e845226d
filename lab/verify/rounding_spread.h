// Spread of the correct outputs of a model that rounds or is computed in fewer bits, and the steps of quantised
// outputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/plan/package_writer.h"
#include "compiler/relay/expr.h"
#include "core/package/plan.h"
#include "core/tensor.h"
#include "lab/verify/compare_outputs.h"

namespace hone {

// Whether the model rounds anything, as QuantizeLinear and a Cast to float16 do.
bool Rounds(const relay::IRModule& typed);

// The largest max |y - r| / max |r| per output, between the reference r and references y with moved values. A float sum
// in another order may move a value across a half, which changes its rounding by a quantum.
//
// So in y the values to be rounded are moved by up to 2^-18 of their tensor's largest, like sums of a few thousand
// products. They are moved all upwards, all downwards, and twice at random. Takes five runs of the reference. All zero
// for a model that does not round.
std::vector<double> RoundingSpread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);

// The spread of a model whose convolutions, dense layers and products of computed matrices read and write bfloat16, as
// in a package of that precision. It is the largest max |y - r| / max |r| between the reference r and references y that
// round their data, weights and results. One y rounds the exact values, two round values moved by up to half a last
// place. Takes four runs of the reference. All zero without such layers.
std::vector<double> BFloat16Spread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);

// The largest max |y - r| / max |r| per output, between the reference r and references y with other inputs. Each
// element of a float32 input moves to the next number: all up, all down, or each at random. It is -1 for each output of
// a model without such inputs. Takes four runs of the reference.
std::vector<double> InputSpread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);

// The spread with weights, and rows of data, rounded as in a package with this plan that was built so.
std::vector<double> StoredWeightsSpread(const relay::IRModule& typed, const Plan& plan,
                                        const PackageFacts::Built& built, const std::map<std::string, Tensor>& inputs);

// The step of each output. Integers have step 1. A product of integers and a constant scale has the scale, or the
// largest scale of a channel. Operators behind it that only move elements keep that step. Any other output has 0.
std::vector<double> OutputQuanta(const relay::IRModule& typed);

// Lets errors agree that rounding the other way explains: up to twice the spread, or for a quantised output a whole
// number of its steps. Does nothing for a model that does not round.
void AllowRoundingSpread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                         std::vector<OutputError>& errors);

}  // namespace hone
