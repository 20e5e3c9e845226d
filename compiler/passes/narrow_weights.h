// Pass: weights that a run reads once are stored as float16.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Every nn.dense of float32 with constant weights and at most four rows, whose weights are too many for a core's own
// cache, gets them as float16, rounded to the nearest: such a layer waits for its weights, and these are half the
// bytes. Data, sums and results stay float32. A layer keeps its weights where float16 loses more of them than a
// rounding: see WeightsKeptWide. Integral products and those that keep float32 (keep_float32.h) stay as they are. The
// module must have its types; returns the module itself when nothing changes.
relay::IRModule NarrowWeights(const relay::IRModule& module);

// A layer that NarrowWeights would have changed, if it were not for its weights.
struct KeptWeights {
  std::string node;
  std::string reason;  // "has a weight of 70000, and float16 ends at 65504"
};
// Those of the module, before or after the pass, in the graph's order: weights that are no number or beyond float16's
// range, and rows of weights that are all below its normal numbers.
std::vector<KeptWeights> WeightsKeptWide(const relay::IRModule& module);

}  // namespace hone
