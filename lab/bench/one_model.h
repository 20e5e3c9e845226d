// Keeps packages of different models from being judged against each other by mistake.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/baseline.h"
#include "lab/bench/bench_result.h"

namespace hone {

// Packages are of one model if they name the same zoo network or file, whatever its folder, or tell the same hash of
// it. Their inputs must have the same shapes, unless one leaves these to each run. Throws Error(kUsage) if two of them
// are not, and names both with the option that allows it. `names` are those of the command line, one for each path.
void RequireOneModel(const std::vector<std::string>& paths, const std::vector<std::string>& names);

// Does so for a result against a stored one. A baseline that tells no model may be of any.
void RequireOneModel(const BenchBaseline& baseline, const BenchResult& result);

}  // namespace hone
