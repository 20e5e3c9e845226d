// The loop nest around one piece of an output.
#pragma once

#include "compiler/generic/evaluator.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/generic/piece.h"
#include "compiler/schedules/schedule.h"

namespace hone {

// One output of a kernel and its operand.
struct PieceOutput {
  relay::ExprPtr expr;
  int operand = 0;
  MemoryShape shape;
};

// Target size of a work item in elements, so that its set-up is negligible.
inline constexpr int64_t kItemElements = 4096;

// Work items of a piece: rows of memory, or parts of a row if there are few rows.
int64_t ItemsOf(const Piece& piece, const PieceOutput& output);
// The axes of these items, the outermost first.
std::vector<StageAxis> ItemAxesOf(const Piece& piece, const PieceOutput& output);
// The axis of items that step through physical axis `axis` of the piece one by one.
StageAxis ItemAxisAlong(const Piece& piece, const MemoryShape& shape, size_t axis);
// Emits items [begin, end) of the piece: evaluates and stores each element.
void EmitPiece(Evaluator& e, const Piece& piece, const PieceOutput& output, Value* begin, Value* end);

// A position in the loops: one physical position per axis, scalar along all but the lane axis.
struct BoxPoint {
  Vals at;
  Lanes lanes;  // along the lane axis, from at[lane_axis] on
};
// The point's logical coordinates for its memory; positions in a block past the axis are not clamped.
Coordinates CoordinatesAt(KernelBuilder& b, const MemoryShape& shape, const BoxPoint& point);
// The positions of item `item` along the axes [0, count) except `skip`, row-major. Other positions are the `low` of
// their axis.
Vals ItemPosition(KernelBuilder& b, const Piece& piece, size_t count, size_t skip, Value* item);
// Runs body over [low, high) of the lane axis in vectors of `lanes`, then once for the rest.
void ForLanes(KernelBuilder& b, int64_t low, int64_t high, int lanes,
              const std::function<void(Value* position, Lanes lanes)>& body);

}  // namespace hone
