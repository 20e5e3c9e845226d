// Decides which cells of a comparison may be divided by each other.
#pragma once

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
};

// The standings of all devices, in their order. The reference is the quickest cell among those comparable with most
// machines. It is neither emulated nor noisy, and complete cells are preferred. Without such a cell no cell has a
// ratio. `accepted` names differences to ignore.
std::vector<Standing> StandingsOf(const Comparison& c, size_t model, const std::set<std::string>& accepted);

// Parses a list of names, "threads,version". Throws Error(kUsage) on unknown names.
std::set<std::string> ParseLikenessNames(const std::string& text, const std::string& option);

}  // namespace hone
