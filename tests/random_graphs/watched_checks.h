// Checks graphs in child processes, so that a crash is one graph's verdict.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/random_graphs/check_graph.h"

namespace hone {

// Calls `check` for 0 to count - 1 in children of this process, several in each. Calls `report` here with the results,
// in order. kCrashed names the signal and the step; kHung means no answer for five minutes. For a process without other
// threads. Throws Error(kIo) when a process or pipe cannot be made.
void WatchChecks(int64_t count, const std::function<GraphCheck(int64_t index, const CheckStep& step)>& check,
                 const std::function<void(int64_t index, const GraphCheck& result)>& report);

// Checks one graph in this way.
GraphCheck CheckWatched(const OnnxGraph& graph, const GraphRun& run);

}  // namespace hone
