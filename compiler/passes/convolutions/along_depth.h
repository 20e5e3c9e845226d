// Windows along the depth of volumes as windows over one plane.
#pragma once

#include "compiler/passes/graph/transposes.h"
#include "compiler/relay/expr.h"

namespace hone {

// Axes that turn N, C, D, H, W into an order with the depth before the channels, and back.
const Axes& DepthFirst();

// Whether the data are the planes of another layer and lie plane by plane in memory. Elementwise operators and
// concatenations may lie in between.
bool FollowsPlanes(relay::ExprPtr data);

// Whether a window of `size` sees one place of each plane, and the windows see every place once. The call's attributes
// have three dimensions.
bool IsAlongDepth(const relay::Call& call, const std::vector<int64_t>& size);

struct PlaneOperator {
  const char* name;  // "nn.conv2d", "nn.max_pool2d", ...
  const char* size;  // name of the attribute with the window's size
};
// The call's window along the depth only, not along planes. It becomes an operator over one plane that has the volume's
// depth as rows. A second argument is a weight of one place of each plane. The call's shapes are known.
//
//    volume       D planes of H x W
//    one plane    D rows of H * W, where a window of k planes is one of k rows
relay::ExprPtr AlongDepth(const relay::Call& call, const PlaneOperator& op);

}  // namespace hone
