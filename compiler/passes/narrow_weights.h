// Pass: weights that a run reads once are stored as float16.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Takes every nn.dense of float32 with constant weights and at most four rows, whose weights exceed a core's own cache.
// Its weights become float16, rounded to nearest: such a layer waits for its weights, and float16 halves their bytes.
// Data, sums and results stay float32. A layer keeps its weights if float16 would lose more of them than a rounding;
// see WeightsKeptWide. Integral products and those marked to keep float32 (mark_calls.h) stay as they are. The module
// must have its types. Returns the module itself when nothing changes.
relay::IRModule NarrowWeights(const relay::IRModule& module);
// Does the same to weights that float16 holds exactly, and nothing unless float16 is a type of the module
// (relay/half_types.h).
relay::IRModule NarrowExactWeights(const relay::IRModule& module);

// The float32 tensor as float16 or bfloat16, if that holds all of its numbers exactly.
std::optional<Tensor> ExactAs(const Tensor& tensor, DType half);

// A layer that NarrowWeights would have changed but for the values of its weights.
struct KeptWeights {
  std::string node;
  std::string reason;  // "has a weight of 70000, and float16 ends at 65504"
};
// These layers of the module, before or after the pass, in the graph's order. Their weights are NaN or beyond float16's
// range, or a row of weights is wholly below its normal numbers.
std::vector<KeptWeights> WeightsKeptWide(const relay::IRModule& module);

}  // namespace hone
