// The passes on convolutions and pools, and on how channels, pixels, planes and volumes are arranged around them.
//
// Each pass needs the types of its module.
#pragma once

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// Convolutions and pools take the one form that all later passes expect. After it, each nn.conv2d takes NCHW and OIHW,
// gives NCHW, and multiplies float32. Other layouts become transposes around it, float16 becomes casts, and bytes
// become exact products of floats. Integer sums that could exceed 2^24 are different. There uint8 data and constant
// int8 weights without groups stay bytes, marked integral, with int32 sums. Other weights are split into two digits;
// each digit is summed separately, and int32 joins the sums.
//
// Pools take and give NCHW, too. Throws Error(kBadData) naming the node if two digits do not make sums of bytes exact.
// The module is as users write it: no bfloat16 and no blocked layouts yet.
relay::IRModule PlainConvs(const relay::IRModule& module);

// Windows over depth, height and width become windows over planes. Each nn.conv3d becomes a sum over its taps along the
// depth. A tap's term is an nn.conv2d of the planes that the tap sees. The planes of all results are the images of one
// batch:
//
//    kernel depth 3, result plane d:   conv2d(plane d, w0) + conv2d(plane d + 1, w1) + conv2d(plane d + 2, w2)
//
// If the data have few channels, the taps' planes are channels of one nn.conv2d. A window may see only one place of
// each plane. Unless its data are planes already, it becomes an nn.conv2d over rows (along_depth.h). A bias behind a
// convolution moves to the planes. The pools nn.max_pool3d and nn.avg_pool3d first fold the depth of a window, then
// pool the result plane by plane; nn.global_avg_pool3d becomes a mean.
//
// Names and attributes go with them. No later pass meets volumes. Throws Error(kBadData) for a volume whose shape is
// not known. The module has no tensors without elements (DropEmpty).
relay::IRModule VolumesAsPlanes(const relay::IRModule& module);

// Operators that follow a window over rows work on images of one row. An operator over N, C, W (a Conv of one spatial
// dimension) is imported as one over images, N, C, 1, W, between two reshapes. There add and clip cannot fuse into a
// kernel, and scales stay on their side of the reshape. After this pass one reshape is left at each end:
//
//    reshape -> nn.conv2d -> reshape -> add -> clip -> reshape -> nn.conv2d -> reshape
//    becomes
//    reshape -> nn.conv2d -> add -> clip -> nn.conv2d -> reshape
//
// Moves a reshape (or squeeze) of an image of one row or column behind the operators that follow. A convolution or pool
// computed that image, perhaps followed by such operators. They are elementwise, broadcasting and reducing operators,
// batch norms, pads, slices, splits and concatenations. Names and attributes go with them.
relay::IRModule RowsAsPlanes(const relay::IRModule& module);

// Transposed convolutions become convolutions, which have schedules. With strides s x t, the outputs whose row is r
// modulo s and whose column is c modulo t form a phase. They see the same taps of the weight, so each phase is an
// ordinary convolution of the data.
//
//    apart:      conv of phase 0, ..., conv of phase s * t - 1 -> nn.interleave
//    together:   one conv with s * t times the outputs, zeros in its filters
//                -> reshape -> transpose -> reshape -> slice
//
// One convolution is used if the phases are many, or have so few outputs that vectors of `lanes` would idle.
// Elementwise operators behind it move to each phase. The pass takes every nn.conv2d_transpose of known shapes: any
// strides, padding, dilation and groups, and a computed weight too.
relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes);

// The rule that moves operators on each pixel of an interleaved image to its phases, whose kernels can fuse them. It
// moves a bias, a batch norm or an elementwise operator behind an nn.interleave that nothing else reads. A sum of two
// interleaves of the same phases becomes one interleave of sums.
//
//    nn.interleave(conv, conv, conv, conv) -> bias -> relu
//    becomes
//    nn.interleave(conv -> bias -> relu, 4 times)
relay::ExprPtr IntoPhases(const relay::ExprPtr& node, const Uses& uses);

// A convolution does not compute rows and columns that a slice removes. Exporters write a causal convolution over rows
// as one with padding on both sides, and a slice that removes the last results. Without this pass the slice parts the
// convolution from its epilogue and unpacks blocks of channels.
//
//    conv2d(padding left 2, right 2) -> add -> clip -> slice off the last 2 columns
//    becomes
//    conv2d(padding left 2, right 0) -> add -> clip
//
// A strided_slice of rows or columns, with steps of 1, of an nn.conv2d becomes less padding at that end. Biases and
// elementwise operators with constants per channel may lie in between; nothing else reads any of these values. The
// slice stays if it removes more than the padding added.
relay::IRModule CutConvs(const relay::IRModule& module);

// Channel shuffles become one selection of channels, placed where it costs least. A reshape, a transpose and a reshape
// that only permute channels become take(data, channels, axis=1). A selection then sinks below operators that treat
// channels alike: elementwise operators, constant biases and depthwise convolutions. Their constants are reordered for
// the channels that they read then. A selection of a selection becomes one.
//
// A grouped convolution before a selection may have groups that do not fill vectors of `lanes`. If its weights are
// constant, each group gets filters of zeros at its end, and the selection leaves out their channels. If most of each
// vector would idle, the filters are added even without a selection, and a selection is added with them:
//
//    group of 3, 8 lanes     outputs  0 1 2 | 3 4 5
//    padded                  outputs  0 1 2 z z z z z | 3 4 5 z z z z z      z: filter of zeros
//    selection               channels 0 1 2 8 9 10
//
// A convolution with several outputs for each channel becomes a depthwise one of repeated channels.
relay::IRModule GatherChannels(const relay::IRModule& module, int lanes);

// Merges convolution groups that are narrower than a vector. Takes a grouped nn.conv2d with constant float32 weights
// whose groups have fewer outputs than `lanes`, a number that divides `lanes`. It merges as many groups as fill the
// lanes; filters are zero where a group meets another's channels:
//
//    filters of two groups, a row per output        merged
//    [ a b ]   [ e f ]                              [ a b 0 0 ]
//    [ c d ]   [ g h ]                              [ c d 0 0 ]
//                                                   [ 0 0 e f ]
//                                                   [ 0 0 g h ]
//
// With m groups merged, a vector takes m times as many steps for m times as many outputs, and the channels stay in full
// blocks. A NaN or infinity in one channel reaches the outputs of all groups that share its vector. Depthwise
// convolutions stay.
relay::IRModule MergeGroups(const relay::IRModule& module, int lanes);

// Channels that become pixels stay in blocks, together with the operators that follow them. A reshape, a transpose and
// a reshape of an image turn channels into pixels, as after a transposed convolution or in a pixel shuffle. Constant
// biases and elementwise operators on the result move before them. If the remaining channels fill vectors of `lanes`,
// the three become nn.depth_to_space, which keeps its data in blocks. That operator needs the pixel positions first in
// its channels, so the filters of a preceding convolution are reordered where necessary.
//
//    conv2d -> reshape -> transpose -> reshape -> bias -> relu
//    becomes
//    conv2d -> bias -> relu -> nn.depth_to_space
relay::IRModule DepthToSpace(const relay::IRModule& module, int lanes);

}  // namespace hone
