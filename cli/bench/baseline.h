// An earlier benchmark to hold a new one against.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/bench/bench_result.h"

namespace hone {

struct BenchBaseline {
  struct Package {
    int threads = 0;
    int streams = 1;
    int64_t images = 1;
    std::string precision;
    std::vector<int64_t> round_ns;  // as RoundTimes
  };
  std::string path;
  std::string fingerprint;
  BenchConditions conditions;
  std::map<std::string, Package> packages;  // by name
};

// From what `hone bench --json` wrote. Throws Error: kNoInput, kBadData (damaged, something else, a newer version).
BenchBaseline ReadBaseline(const std::string& path);

// A verdict on each package against the baseline's of its name; where both have one package, the names do not matter.
// Throws Error(kBadConfig) when the two cannot be compared, naming the first thing in which they differ: machine,
// conditions, threads, streams, images, precision.
std::vector<Verdict> JudgeAgainst(const BenchBaseline& baseline, const BenchResult& result, double smallest_effect);

}  // namespace hone
