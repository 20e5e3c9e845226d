// What `hone verify --bisect` says.
#pragma once

#include <vector>

#include "cli/compare_nodes.h"

namespace hone {

// A row per node, then where they part, and where the first value is that is not finite; with `json` one document.
// Returns whether they agree to the end.
bool ReportNodes(const std::vector<NodeError>& nodes, double tolerance, bool json);

}  // namespace hone
