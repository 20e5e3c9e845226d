// A comparison in the form of docs/reference/formats.md, "Comparison".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/portability.h"

namespace hone {

inline constexpr int kComparisonVersion = 1;

// A comparison with the facts that are printed beside its times.
struct ComparisonReport {
  Comparison comparison;
  std::set<std::string> accepted;        // differences to ignore, see likeness.h
  std::vector<Portability> portability;  // by model; empty if it was not asked for
};

Json ToJson(const ComparisonReport& report);

}  // namespace hone
