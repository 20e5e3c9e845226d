// An earlier benchmark, with which a new one is compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/bench/bench_result.h"

namespace hone {

struct BenchBaseline {
  struct Package {
    int threads = 0;
    int streams = 1;
    int64_t images = 1;
    std::string precision;
    std::string extents;            // ExtentsText
    std::string model;              // as in Plan; empty if it does not say
    std::vector<int64_t> round_ns;  // as RoundTimes
  };
  std::string path;
  std::string fingerprint;
  BenchConditions conditions;
  std::map<std::string, Package> packages;  // by name
};

// Reads what `hone bench --json` wrote. Throws Error: kNoInput, or kBadData (damaged, something else, a newer version).
BenchBaseline ReadBaseline(const std::string& path);

// A reason to doubt verdicts against stored times.
inline constexpr const char* kStoredTimes =
    "the baseline's times are stored ones: 8 of 100 such verdicts on equal packages were wrong; --save NAME keeps a "
    "package, and --baseline NAME times it again";

// Judges each package against the baseline's package of the same name. If both have one package, names are ignored.
// Throws Error(kBadConfig) if the two cannot be compared, naming the first difference: machine, conditions, threads,
// streams, images, extents of free dimensions or precision.
std::vector<Verdict> JudgeAgainst(const BenchBaseline& baseline, const BenchResult& result, double smallest_effect);

}  // namespace hone
