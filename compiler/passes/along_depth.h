// Windows along the depth of volumes as windows over one plane.
#pragma once

#include "compiler/passes/graph/transposes.h"
#include "compiler/relay/expr.h"

namespace hone {

// N, C, D, H, W with the depth before the channels, and back.
const Axes& DepthFirst();

// Whether the data are the planes of another layer, perhaps behind elementwise operators and concatenations, and lie
// plane by plane in memory.
bool FollowsPlanes(relay::ExprPtr data);

// Whether windows of so many places see one place of each plane, and every place once. The call has attributes of three
// dimensions.
bool IsAlongDepth(const relay::Call& call, const std::vector<int64_t>& size);

struct PlaneOperator {
  const char* name;  // "nn.conv2d", "nn.max_pool2d", ...
  const char* size;  // the attribute that has the window's size
};
// The call's window along the depth alone, not along planes: a volume with the data's height and width. A second
// argument is a weight of one place of each plane. The call's shapes are known.
//
//   volume       D planes of H x W
//   one plane    D rows of H * W, where a window of k planes is one of k rows
relay::ExprPtr AlongDepth(const relay::Call& call, const PlaneOperator& op);

}  // namespace hone
