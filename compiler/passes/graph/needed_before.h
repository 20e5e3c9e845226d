// The positions of a call's argument that some positions of its result depend on, for each kind of operator.
#pragma once

#include "compiler/passes/graph/needed_extents.h"
#include "compiler/relay/expr.h"

namespace hone {

// `needed` is of the result's shape `to`, and what is returned of the argument's shape `from`.

// Runs of dimensions with equally many elements are matched, and the outermost one of a run with several positions may
// be limited.
NeededAxes BeforeReshape(const Shape& from, const Shape& to, const NeededAxes& needed);
// An elementwise operator reads the same positions.
NeededAxes BeforeBroadcast(const Shape& from, const Shape& to, const NeededAxes& needed);
// A softmax or a reduction reads all positions along the axes that it folds.
NeededAxes BeforeFold(const relay::Call& call, const NeededAxes& needed);
NeededAxes BeforeTranspose(const relay::Call& call, const NeededAxes& needed);
// Only an axis that is read from its beginning in steps of 1 keeps its limit.
NeededAxes BeforeSlice(const relay::Call& call, const NeededAxes& needed);
NeededAxes BeforePad(const relay::Call& call, const NeededAxes& needed);
// The rows of matrix operand `side` of a batch_matmul; all of its depth.
NeededAxes BeforeMatmul(const relay::Call& call, size_t side, const NeededAxes& needed);
// The axis along which matrix operand `side` of a batch_matmul is as deep as the sum.
size_t DepthAxis(const relay::Call& call, size_t side);
// The data of a take.
NeededAxes BeforeTake(const relay::Call& call, const NeededAxes& needed);
// The data of a gather, which reads all positions along its axis.
NeededAxes BeforeGather(const relay::Call& call, const NeededAxes& needed);
// The indices of a take, gather or gather_nd. Kernels clamp them, so a position that no one computed may be anything.
NeededAxes BeforeIndices(const relay::Call& call, const NeededAxes& needed);
// Whether the call is a convolution or pool with the channels before all other axes, perhaps in blocks.
bool ReadsWindows(const relay::Call& call);
// The data of such a call: up to the last window's end, or to that of its Winograd tile.
//
//    n outputs, size 3, stride 2, padding 1 before        2n positions: those of the last window end at 2(n - 1) + 2
NeededAxes BeforeWindows(const relay::Call& call, const NeededAxes& needed);
// The data of a depth_to_space, and each field of an interleave: one position for `strides` positions of the result.
NeededAxes BeforeSpread(const std::vector<int64_t>& strides, const NeededAxes& needed);
// Positions of the first axis alone, of the first argument.
NeededAxes FirstOnly(size_t rank, const NeededAxes& needed);

}  // namespace hone
