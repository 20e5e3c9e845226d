// Checks graphs in child processes, so that a crash is one graph's verdict.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/random_graphs/check_graph.h"

namespace hone {

// Calls `check` for 0 to count - 1 in children of this process, several in each, and `report` here with what it
// returned, in order. kCrashed names the signal and the step; kHung is what did not answer for five minutes. For a
// process without threads of its own. Throws Error(kIo) when there is no process or pipe to be had.
void WatchChecks(int64_t count, const std::function<GraphCheck(int64_t index, const CheckStep& step)>& check,
                 const std::function<void(int64_t index, const GraphCheck& result)>& report);

// One graph so.
GraphCheck CheckWatched(const OnnxGraph& graph, const GraphRun& run);

}  // namespace hone
