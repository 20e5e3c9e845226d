// Which layers explain the difference between two machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/comparison/comparison.h"

namespace hone {

struct LayerDifference {
  std::string name, op;
  std::vector<std::string> nodes;
  int64_t a_ns = 0, b_ns = 0;  // of all its uses; 0: that machine's model has no such layer
  double a_fma_share = 0, b_fma_share = 0;
  int64_t difference_ns() const { return b_ns - a_ns; }
};

struct Difference {
  std::vector<LayerDifference> layers;  // what differs most first
  int64_t total_ns = 0;                 // b's time less a's, of these layers
  int unknown = 0;                      // layers that one of them has no time for: left out
};

// Layers are matched by name. One that only one machine has, because the other fused otherwise, counts in full.
Difference ExplainDifference(const Comparison& c, size_t model, size_t a, size_t b);

}  // namespace hone
