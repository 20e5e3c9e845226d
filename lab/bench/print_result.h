// The result of a benchmark, as people read it.
#pragma once

#include "lab/bench/bench_result.h"

namespace hone {

// Prints the times of each package, the verdicts and, to stderr, what was noisy. `random_params`: the parameters were
// not the package's own.
void PrintResult(const BenchResult& result, bool random_params);

}  // namespace hone
