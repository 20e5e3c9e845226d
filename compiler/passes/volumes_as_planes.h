// Windows over depth, height and width as windows over planes.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each nn.conv3d is the sum, over its taps along the depth, of an nn.conv2d of the planes that the tap sees; those of
// all results are the images of one batch. Where the data have few channels the taps' planes are channels of one
// nn.conv2d. One whose window sees one place of each plane is an nn.conv2d over rows (along_depth.h), or with few
// channels an nn.batch_matmul, unless its data are planes already. A bias behind it goes onto the planes.
// nn.max_pool3d and nn.avg_pool3d fold the depth of a window first and then pool what is left, plane by plane;
// nn.global_avg_pool3d is a mean. Names and attributes go with them. Behind this pass nobody knows volumes. Throws
// Error(kBadData) for one whose shape is not known. The module needs its types and has no tensors without elements
// (drop_empty.h).
relay::IRModule VolumesAsPlanes(const relay::IRModule& module);

}  // namespace hone
