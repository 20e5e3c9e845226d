// Expands ranges of sizes: `--shape x=1..32,3,224,224` and `--dim batch=1..32`.
#pragma once

#include <vector>

#include "lab/model/model.h"

namespace hone {

// The options for each size that the ranges of --shape and --dim stand for; only `options` if there are no ranges. A..B
// stands for A, 2 A, 4 A and so on below B, and for B. Ranges with the same text change together; others are combined,
// the first slowest. Throws Error(kUsage) for an invalid range, and for more combinations than a package holds.
std::vector<ModelOptions> EachShape(const ModelOptions& options);

}  // namespace hone
