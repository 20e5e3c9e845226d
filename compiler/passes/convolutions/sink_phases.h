// Rules: operators on each pixel of an interleaved image move to its phases, whose kernels can fuse them.
//
//    nn.interleave(conv, conv, conv, conv) -> bias -> relu
//    becomes
//    nn.interleave(conv -> bias -> relu, 4 times)
#pragma once

#include "compiler/passes/graph/typed_graph.h"

namespace hone {

// Moves a bias, a batch norm or an elementwise operator behind an nn.interleave that nothing else reads. A sum of two
// interleaves of the same phases becomes one interleave of sums.
relay::ExprPtr IntoPhases(const relay::ExprPtr& node, const Uses& uses);

}  // namespace hone
