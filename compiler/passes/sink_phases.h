// Rules: what is done to each pixel of an image is done to its phases, where it is part of their kernels.
#pragma once

#include "compiler/passes/graph/typed_graph.h"

namespace hone {

// A bias, a batch norm or an elementwise operator behind an nn.interleave that nothing else reads, and a sum of two of
// the same phases.
relay::ExprPtr IntoPhases(const relay::ExprPtr& node, const Uses& uses);

}  // namespace hone
