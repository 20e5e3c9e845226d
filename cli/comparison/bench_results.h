// Saved bench results (docs/formats.md, "Bench result") as what comparisons are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/comparison/compare_packages.h"

namespace hone {

// The packages of one result; `name` is the file's, for messages. Throws Error: kBadData for what is no bench result or
// of another version, kUsage for one of throughput, whose times are not those of a run alone.
std::vector<PackageTimes> ReadBenchResult(std::string_view json, const std::string& name);

}  // namespace hone
