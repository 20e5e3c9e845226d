// Pass: windows over depth, height and width become windows over planes.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each nn.conv3d becomes a sum over its taps along the depth. A tap's term is an nn.conv2d of the planes that the tap
// sees. The planes of all results are the images of one batch:
//
//    kernel depth 3, result plane d:   conv2d(plane d, w0) + conv2d(plane d + 1, w1) + conv2d(plane d + 2, w2)
//
// If the data have few channels, the taps' planes are channels of one nn.conv2d. A window may see only one place of
// each plane. Unless its data are planes already, it becomes an nn.conv2d over rows (along_depth.h), or with few
// channels an nn.batch_matmul. A bias behind a convolution moves to the planes. The pools nn.max_pool3d and
// nn.avg_pool3d first fold the depth of a window, then pool the result plane by plane; nn.global_avg_pool3d becomes a
// mean.
//
// Names and attributes go with them. No later pass meets volumes. Throws Error(kBadData) for a volume whose shape is
// not known. The module needs its types and has no tensors without elements (drop_empty.h).
relay::IRModule VolumesAsPlanes(const relay::IRModule& module);

}  // namespace hone
