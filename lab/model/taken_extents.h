// Whether runs of a model take some extents of its free dimensions.
#pragma once

#include "compiler/relay/expr.h"
#include "lab/model/extents.h"

namespace hone {

// Checks each count (compiler/relay/counted_outputs.h) that follows from the extents alone. `typed` has types. An
// extent that is not given is the largest.
bool TakesExtents(const relay::IRModule& typed, const Extents& extents);

}  // namespace hone
