// What packages do when several sessions of each run at once: images per second, and latency under load.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/time_packages.h"

namespace hone {

// Each package with each number of streams. A stream is a session with threads of its own (options.threads, by default
// the cores divided by the streams, at least 1) that runs again as soon as it is done. In each round they follow one
// another in another order, each loaded anew, warmed up, and then run for its share of min_time_ns, or until `runs` are
// done by its streams together. Samples are latencies of single runs. Results by path, then by streams. Throws as
// TimePackages does.
std::vector<TimedPackage> TimeStreams(const std::vector<std::string>& paths, const std::vector<int>& streams,
                                      const TimePackagesOptions& options);

// "4" or "1,2,4" as numbers from 1 to 1024. Throws Error(kUsage) on anything else.
std::vector<int> ParseStreams(const std::string& text);

}  // namespace hone
