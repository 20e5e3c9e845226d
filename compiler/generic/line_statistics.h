// Normalisations as one kernel: sums over each line of a tensor, then elementwise work that reads them.
//
//   layer norm       lines along the last axis
//   instance norm    the pixels of a channel, in rows of memory or in the lanes of a block of channels
#pragma once

#include <optional>
#include <vector>

#include "compiler/generic/piece_loops.h"

namespace hone {

// The values of a body that are the same for all of a line: reductions, and elementwise operators of them.
struct LineStatistics {
  Shape shape;                         // of each value: the result's, with 1 along the axes of a line
  std::vector<relay::ExprPtr> values;  // float32, arguments before their users
  bool IsAlong(size_t axis, const Shape& result) const { return shape[axis] != result[axis]; }
};

// Nullopt unless the output is elementwise work of its own shape on parameters, constants and statistics of one shape,
// and in blocks of channels reduces no channels.
std::optional<LineStatistics> LineStatisticsOf(const PieceOutput& output);

// One item per line, or per row of lines where vectors run beside the axes of a line.
int64_t LineItems(const Piece& piece, const PieceOutput& output, const LineStatistics& statistics);
// Each statistic in turn, then the result, while the line is in the first cache. The order of a sum depends on the
// extents alone.
void EmitLines(Evaluator& e, const Piece& piece, const PieceOutput& output, const LineStatistics& statistics,
               Value* begin, Value* end);

}  // namespace hone
