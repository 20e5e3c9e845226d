// Explains the difference between two machines by layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/comparison/comparison.h"

namespace hone {

struct LayerDifference {
  std::string name, op;
  std::vector<std::string> nodes;
  int64_t a_ns = 0, b_ns = 0;  // of all its uses; 0: that machine's model lacks the layer
  double a_fma_share = 0, b_fma_share = 0;
  int64_t difference_ns() const { return b_ns - a_ns; }
};

struct Difference {
  std::vector<LayerDifference> layers;  // greatest difference first
  int64_t total_ns = 0;                 // b's time minus a's, over these layers
  int unknown = 0;                      // layers left out because one machine has no time for them
};

// Matches layers by name. A layer that only one machine has, because the other fused differently, counts in full.
Difference ExplainDifference(const Comparison& c, size_t model, size_t a, size_t b);

}  // namespace hone
