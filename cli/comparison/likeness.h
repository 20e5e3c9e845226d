// Which cells of a comparison may be divided by each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/comparison/comparison.h"

namespace hone {

// What two cells of one model may differ in besides the machine, each by its name on the command line.
inline constexpr const char* kThreadsDiffer = "threads";
inline constexpr const char* kPrecisionDiffers = "precision";
inline constexpr const char* kCacheDiffers = "cache";
inline constexpr const char* kVersionDiffers = "version";
inline constexpr const char* kOriginDiffers = "origin";  // sums of layers against whole packages
inline constexpr const char* kIsEmulated = "emulated";
inline constexpr const char* kIsNoisy = "noisy";
// All of them, in this order.
const std::vector<std::string>& LikenessNames();

// What speaks against dividing the times of `row` by those of `reference`: names of the list above, empty for nothing.
// What is emulated or noisy is so whatever the reference is.
std::vector<std::string> Unlike(const Comparison& c, size_t row, size_t reference, size_t model);

// What a cell is to its model's reference.
struct Standing {
  bool known = false;  // it has a time
  bool is_reference = false;
  std::vector<std::string> unlike;  // as Unlike, without what was accepted; with any there is no ratio
  double ratio = 0;                 // its time over the reference's; 0: not to be compared
  // The ratio is of the layers that both have a time for, where one of them lacks some: of `of` layers with knobs.
  int over = 0, of = 0;
  bool partial() const { return over < of; }
};

// Of each device, in their order. The reference is the quickest cell of those that most machines are like, complete
// ones first, and neither emulated nor noisy; without such a one no cell has a ratio. `accepted`: names of differences
// to pass over.
std::vector<Standing> StandingsOf(const Comparison& c, size_t model, const std::set<std::string>& accepted);

// The names of a list "threads,version". Throws Error(kUsage) on others.
std::set<std::string> ParseLikenessNames(const std::string& text, const std::string& option);

}  // namespace hone
