// Decides which cells of a comparison may be divided by each other.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lab/comparison/comparison.h"

namespace hone {

// Differences that two cells of one model may have besides the machine, by their names on the command line.
inline constexpr const char* kThreadsDiffer = "threads";
inline constexpr const char* kPrecisionDiffers = "precision";
inline constexpr const char* kCacheDiffers = "cache";
inline constexpr const char* kVersionDiffers = "version";
inline constexpr const char* kOriginDiffers = "origin";  // sums of layers against whole packages
inline constexpr const char* kIsEmulated = "emulated";
inline constexpr const char* kIsNoisy = "noisy";
// All names, in this order.
const std::vector<std::string>& LikenessNames();

// Reasons against dividing the times of `row` by those of `reference`: names of the list above; empty if there are
// none. "emulated" and "noisy" depend only on `row`.
std::vector<std::string> Unlike(const Comparison& c, size_t row, size_t reference, size_t model);

// A cell's relation to its model's reference.
struct Standing {
  bool known = false;  // whether it has a time
  bool is_reference = false;
  std::vector<std::string> unlike;  // as Unlike, without accepted names; if not empty there is no ratio
  double ratio = 0;                 // its time over the reference's; 0: not comparable
  // The ratio covers `over` of `of` layers with knobs: those that both have a time for.
  int over = 0, of = 0;
  bool partial() const { return over < of; }
  // Whether the ratio is of the whole model.
  bool whole() const { return ratio > 0 && !partial(); }
};

// The standings of all devices, in their order. The reference is the quickest cell among those comparable with most
// machines. It is neither emulated nor noisy, and complete cells are preferred. Without such a cell no cell has a
// ratio. `accepted` names differences to ignore.
std::vector<Standing> StandingsOf(const Comparison& c, size_t model, const std::set<std::string>& accepted);

// Parses a list of names, "threads,version". Throws Error(kUsage) on unknown names.
std::set<std::string> ParseLikenessNames(const std::string& text, const std::string& option);

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
