// A comparison as docs/formats.md, "Comparison", has it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/comparison/comparison.h"
#include "cli/comparison/portability.h"
#include "core/serialize.h"

namespace hone {

inline constexpr int kComparisonVersion = 1;

// What is told of a comparison beside its times.
struct ComparisonReport {
  Comparison comparison;
  std::set<std::string> accepted;        // differences to pass over, see likeness.h
  std::vector<Portability> portability;  // by model; empty where it was not asked for
};

Json ToJson(const ComparisonReport& report);

}  // namespace hone
