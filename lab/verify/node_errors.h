// The report of `hone verify --bisect`.
#pragma once

#include <vector>

#include "lab/verify/compare_nodes.h"

namespace hone {

// Prints a row per node, then where they begin to differ, and the first value that is not finite; one document with
// `json`. Returns whether the nodes agree up to the end.
bool ReportNodes(const std::vector<NodeError>& nodes, double tolerance, bool json);

}  // namespace hone
