// Normalisations as one kernel: sums over each line of a tensor, then elementwise operators that read them.
//
//    for line:
//      for each statistic: fold over the line      mean, then variance, ...
//      for vector of the line: result              the line is still in the first cache
//
//    layer norm       lines along the last axis
//    instance norm    the pixels of a channel, in rows of memory or in the lanes of a block of channels
#pragma once

#include <optional>
#include <vector>

#include "compiler/generic/piece_loops.h"

namespace hone {

// The values of a body that are the same along a line: reductions, and elementwise operators on them.
struct LineStatistics {
  Shape shape;                         // shape of each value: the result's, with 1 along the axes of a line
  std::vector<relay::ExprPtr> values;  // float32, arguments before their users
  bool IsAlong(size_t axis, const Shape& result) const { return shape[axis] != result[axis]; }
};

// nullopt unless the output is elementwise, in its own shape, on parameters, constants and statistics of one shape. In
// blocks of channels it must not reduce channels.
std::optional<LineStatistics> LineStatisticsOf(const PieceOutput& output);

// One item per line, or per row of lines if vectors run across lines.
std::vector<StageAxis> LineItems(const Piece& piece, const PieceOutput& output, const LineStatistics& statistics);
// Emits each statistic in turn, then the result, while the line is in the first cache. The order of a sum depends only
// on the extents.
void EmitLines(Evaluator& e, const Piece& piece, const PieceOutput& output, const LineStatistics& statistics,
               Value* begin, Value* end);

}  // namespace hone
