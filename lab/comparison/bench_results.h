// Reads saved bench results (docs/reference/formats.md, "Bench result") for comparisons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/comparison/compare_packages.h"

namespace hone {

// The packages of one result; `name` is the file's, for messages. Throws Error(kBadData) for anything but a bench
// result of this version. Throws Error(kUsage) for one in throughput mode, whose times are not those of a single run.
std::vector<PackageTimes> ReadBenchResult(std::string_view json, const std::string& name);

}  // namespace hone
