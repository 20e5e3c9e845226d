// Throughput of packages when several sessions of each run at once: images per second, and latency under load.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/time_packages.h"

namespace hone {

// Times each package with each number of streams. A stream is a session with its own threads that runs again as soon as
// it is done. It has options.threads threads, by default the cores divided by the streams, at least 1.
//
// In each round the entries follow one another in another order. Each is loaded anew, warms up, and then runs for its
// share of min_time_ns, or until its streams have done `runs` together. Samples are latencies of single runs. Results
// are ordered by path, then by streams. Throws as TimePackages does.
std::vector<TimedPackage> TimeStreams(const std::vector<std::string>& paths, const std::vector<int>& streams,
                                      const TimePackagesOptions& options);

// Parses "4" or "1,2,4" as numbers from 1 to 1024. Throws Error(kUsage) on anything else.
std::vector<int> ParseStreams(const std::string& text);

}  // namespace hone
