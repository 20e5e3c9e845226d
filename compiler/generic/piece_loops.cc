#include "compiler/generic/piece_loops.h"

#include <algorithm>

namespace hone {
namespace {

// The number of items that suffices for all workers.
constexpr int64_t kEnoughItems = 16;
// Elements of an item along an axis that runs may end, and of one with several rows of such an axis. A run computes
// whole items, so they are few. Rows are not divided if there are so many that a run would have too many parts.
constexpr int64_t kEndedElements = 64, kEndedRows = 1024, kMostEndedRows = 1 << 14;
// Elements of an item that is a part of a row of blocks.
constexpr int64_t kEndedBlocks = 256;
constexpr int64_t kLineBytes = 64;

int64_t Extent(const Piece& piece, size_t axis) { return piece.high[axis] - piece.low[axis]; }

// The division of the box: axes [0, item_axes) make the items, times the chunks of the lane axis. If lanes lie in a
// block, chunks are of axis `item_axes`, which is then the last one before the lanes.
struct Division {
  size_t item_axes = 0;
  int64_t rows = 1;
  int64_t chunk = 0;  // positions along the axis; 0 if it is not divided
  int64_t chunks = 1;
};

// The outermost axis with several positions of those that are joined to one (piece.h), and the elements from each of
// its positions to the next.
struct Lead {
  size_t axis = 0;
  int64_t step = 1;
};

Lead LeadOf(const Piece& piece, const MemoryShape& shape, size_t axis) {
  size_t lead = axis;
  int64_t inner = shape.axes[axis].extent;
  while (inner < piece.high[axis] && lead > 0) inner *= shape.axes[--lead].extent;
  while (lead < axis && shape.axes[lead].extent == 1) ++lead;
  return {lead, inner / shape.axes[lead].extent};
}

// Moves inner axes from the items into an item until it is worth its set-up, while enough items are left. If there are
// too few items from the start, long rows are cut. So are rows that runs may end.
Division DivisionOf(const Piece& piece, const MemoryShape& shape) {
  Division d;
  d.item_axes = std::min(shape.lane_axis, shape.axes.size());
  for (size_t i = 0; i < d.item_axes; ++i) d.rows *= Extent(piece, i);
  int64_t elements = shape.lane_axis < shape.axes.size() ? Extent(piece, shape.lane_axis) : 1;
  const int64_t row = elements;
  const int64_t wanted = piece.heavy ? kItemElements / 16 : kItemElements;
  while (d.item_axes > 0 && elements < wanted && d.rows / Extent(piece, d.item_axes - 1) >= kEnoughItems) {
    if (shape.axes[d.item_axes - 1].ends && elements >= kEndedElements) break;
    --d.item_axes;
    d.rows /= Extent(piece, d.item_axes);
    elements *= Extent(piece, d.item_axes);
  }
  if (shape.lane_axis >= shape.axes.size()) return d;
  if (shape.lanes_in_block()) {
    if (d.item_axes + 1 == shape.lane_axis && shape.axes[d.item_axes].ends && d.rows <= kMostEndedRows) {
      const int64_t positions = Extent(piece, d.item_axes);
      d.chunk = std::max<int64_t>(1, kEndedBlocks / row);
      d.chunks = (positions + d.chunk - 1) / d.chunk;
      if (d.chunks == 1) d.chunk = 0;
    }
    return d;
  }
  if (d.item_axes < shape.lane_axis || piece.in_line) return d;
  const Lead lead = LeadOf(piece, shape, shape.lane_axis);
  const bool ends = shape.axes[lead.axis].ends && d.rows <= kMostEndedRows;
  if (d.rows >= kEnoughItems && !ends) return d;
  const bool joined = lead.axis != shape.lane_axis;
  const int64_t few = joined ? std::max(kEndedRows, lead.step) : kEndedElements;
  const int64_t least = piece.heavy ? 16 : ends ? few : kItemElements;
  const int64_t wide = ends ? least : std::max(least, row / (4 * kEnoughItems));
  d.chunk = (wide + piece.lanes - 1) / piece.lanes * piece.lanes;
  d.chunks = (row + d.chunk - 1) / d.chunk;
  if (d.chunks == 1) d.chunk = 0;
  return d;
}

size_t ChunkAxisOf(const Division& d, const MemoryShape& shape) {
  return shape.lanes_in_block() ? d.item_axes : shape.lane_axis;
}

// A part of a row: vectors from `from` to `to`, and the rest of the row in its last part.
void ForChunk(KernelBuilder& b, const Piece& piece, size_t lane_axis, const Division& d, Value* chunk,
              const std::function<void(Value*, Lanes)>& body) {
  const int64_t low = piece.low[lane_axis], high = piece.high[lane_axis];
  const int64_t rest = (high - low) % piece.lanes;
  const Lanes full{piece.lanes, piece.lanes};
  Value* from = b.Add(b.Mul(chunk, d.chunk), low);
  b.For(from, b.Min(b.Add(from, d.chunk), b.Index(high - rest)), piece.lanes, [&](Value* p) { body(p, full); });
  if (rest == 0) return;
  b.If(b.ir().CreateICmpEQ(chunk, b.Index(d.chunks - 1)),
       [&] { body(b.Index(high - rest), {piece.lanes, static_cast<int>(rest)}); });
}

// Whether vectors of the row should begin with cache lines. A vector as long as a line is two stores anywhere else.
// Buffers of the arena begin with a line; those of a caller may begin anywhere.
bool LinesUp(const Piece& piece, const Division& d, size_t lane_axis, const OperandAccess& operand,
             const MachineModel& machine) {
  constexpr int64_t kLeastVectors = 4;
  const int64_t row = Extent(piece, lane_axis), last_chunk = d.chunk > 0 ? row % d.chunk : 0;
  return machine.vector_lanes * int64_t{sizeof(float)} == kLineBytes && operand.layout.empty() && !piece.heavy &&
         !piece.in_line && row >= kLeastVectors * piece.lanes && (last_chunk == 0 || last_chunk >= piece.lanes);
}

// Runs body over [from, to) of the output, at least one vector. `address` is that of element `from`. All vectors begin
// with a cache line, but for two that may overlap their neighbours:
//
//    lines      |       |       |       |       |
//    vectors       aaaaaaaa                          if `from` is not the beginning of a line
//                       bbbbbbbbcccccccc
//                                    dddddddd        if `to` is not the end of one
void ForLines(KernelBuilder& b, Value* address, Value* from, Value* to, const Piece& piece, DType dtype,
              const std::function<void(Value*, Lanes)>& body) {
  const Lanes full{piece.lanes, piece.lanes};
  auto& ir = b.ir();
  Value* ahead = ir.CreateAnd(ir.CreateNeg(ir.CreatePtrToInt(address, b.i64())), uint64_t{kLineBytes - 1});
  Value* before = b.Div(ahead, DTypeBytes(dtype));
  Value* first = b.Add(from, before);
  b.For(first, b.Add(to, 1 - piece.lanes), piece.lanes, [&](Value* p) { body(p, full); });
  Value* behind = b.Mod(b.Sub(to, first), piece.lanes);
  b.For(0, 2, 1, [&](Value* end) {
    Value* is_first = ir.CreateICmpEQ(end, b.Index(0));
    Value* wanted = ir.CreateICmpNE(ir.CreateSelect(is_first, before, behind), b.Index(0));
    b.If(wanted, [&] { body(ir.CreateSelect(is_first, from, b.Add(to, -piece.lanes)), full); });
  });
}

// Every vector of the row, at a position known when the code is emitted.
void ForLanesInLine(const Piece& piece, size_t lane_axis, KernelBuilder& b,
                    const std::function<void(Value*, Lanes)>& body) {
  for (int64_t p = piece.low[lane_axis]; p < piece.high[lane_axis]; p += piece.lanes) {
    body(b.Index(p), {piece.lanes, static_cast<int>(std::min<int64_t>(piece.lanes, piece.high[lane_axis] - p))});
  }
}

// Positions inside a block that is not the lane axis may lie past the axis. They read somewhere inside and become zero.
struct Guarded {
  Coordinates at;
  Value* inside = nullptr;
};
Guarded Guard(KernelBuilder& b, const MemoryShape& shape, const Shape& logical, Coordinates at) {
  Guarded guarded{std::move(at)};
  for (size_t i = 0; i < shape.axes.size(); ++i) {
    const auto& axis = shape.axes[i];
    const int64_t extent = logical[axis.logical];
    if (axis.block == 0 || i == shape.lane_axis || extent % axis.block == 0) continue;
    Coordinate& c = guarded.at[axis.logical];
    Value* here = b.ir().CreateICmpSLT(c.base, b.Index(extent));
    guarded.inside = guarded.inside ? b.ir().CreateAnd(guarded.inside, here) : here;
    c = At(b.Min(c.base, b.Index(extent - 1)));
  }
  return guarded;
}

void EmitElement(Evaluator& e, const PieceOutput& output, const BoxPoint& point) {
  KernelBuilder& b = e.b();
  const OperandAccess& operand = e.Operand(output.operand);
  const Coordinates at = CoordinatesAt(b, output.shape, point);
  const Guarded guarded = Guard(b, output.shape, operand.shape, at);
  Value* value = e.Eval(output.expr, guarded.at, point.lanes);
  if (guarded.inside) {
    value = b.ir().CreateSelect(guarded.inside, value, llvm::Constant::getNullValue(value->getType()));
  }
  StoreOperand(b, operand, at, point.lanes, value);
}

// ForLines over the row at `row`, or over chunk number `chunk` of it.
void ForRowLines(Evaluator& e, const Piece& piece, const PieceOutput& output, const Division& d, Vals row, Value* chunk,
                 const std::function<void(Value*, Lanes)>& body) {
  KernelBuilder& b = e.b();
  const size_t lane_axis = output.shape.lane_axis;
  Value* high = b.Index(piece.high[lane_axis]);
  Value* from = b.Add(b.Mul(chunk, d.chunk), piece.low[lane_axis]);
  Value* to = d.chunk > 0 ? b.Min(b.Add(from, d.chunk), high) : high;
  row[lane_axis] = from;
  const OperandAccess& operand = e.Operand(output.operand);
  Value* address = AddressOf(b, operand, CoordinatesAt(b, output.shape, {row, {piece.lanes, piece.lanes}}));
  ForLines(b, address, from, to, piece, operand.dtype, body);
}

// Emits the axes [axis, lane axis) as loops, then the lanes.
void EmitInner(Evaluator& e, const Piece& piece, const PieceOutput& output, size_t axis, Vals at,
               const std::function<void(const Vals&, const std::function<void(Value*, Lanes)>&)>& row) {
  const size_t lane_axis = output.shape.lane_axis;
  if (axis < std::min(lane_axis, output.shape.axes.size())) {
    const auto inner = [&](Value* p) {
      Vals next = at;
      next[axis] = p;
      EmitInner(e, piece, output, axis + 1, next, row);
    };
    // A single position is a constant that evaluation can inspect.
    if (axis > 0 && Extent(piece, axis) == 1) return inner(e.b().Index(piece.low[axis]));
    return e.b().For(piece.low[axis], piece.high[axis], 1, inner);
  }
  if (lane_axis >= output.shape.axes.size()) return EmitElement(e, output, {at, kScalar});
  row(at, [&](Value* position, Lanes lanes) {
    Vals here = at;
    here[lane_axis] = position;
    EmitElement(e, output, {here, lanes});
  });
}

}  // namespace

// Outer axes come first: a position inside a block is added to its block's beginning.
Coordinates CoordinatesAt(KernelBuilder& b, const MemoryShape& shape, const BoxPoint& point) {
  size_t rank = 0;
  for (const auto& axis : shape.axes) rank = std::max(rank, axis.logical + 1);
  Coordinates at(rank);
  for (size_t i = 0; i < shape.axes.size(); ++i) {
    const auto& axis = shape.axes[i];
    if (axis.block > 0) continue;
    at[axis.logical] = {axis.outer_block > 0 ? b.Mul(point.at[i], axis.outer_block) : point.at[i],
                        i == shape.lane_axis && point.lanes.count > 1 ? 1 : 0,
                        axis.outer_block > 0 ? point.at[i] : nullptr, axis.outer_block};
  }
  for (size_t i = 0; i < shape.axes.size(); ++i) {
    const auto& axis = shape.axes[i];
    if (axis.block == 0) continue;
    Coordinate& c = at[axis.logical];
    if (i == shape.lane_axis) {
      c.step = 1;
    } else {
      c = At(b.Add(c.base, point.at[i]));
    }
  }
  return at;
}

Vals ItemPosition(KernelBuilder& b, const Piece& piece, size_t count, size_t skip, Value* item) {
  Vals at;
  for (int64_t low : piece.low) at.push_back(b.Index(low));
  size_t outermost = 0;
  while (outermost < count && (outermost == skip || Extent(piece, outermost) == 1)) ++outermost;
  for (size_t i = count; i-- > 0;) {
    if (i == skip || Extent(piece, i) == 1) continue;
    at[i] = b.Add(i == outermost ? item : b.Mod(item, Extent(piece, i)), piece.low[i]);
    if (i != outermost) item = b.Div(item, Extent(piece, i));
  }
  return at;
}

void ForLanes(KernelBuilder& b, int64_t low, int64_t high, int lanes,
              const std::function<void(Value* position, Lanes lanes)>& body) {
  const int64_t rest = (high - low) % lanes;
  b.For(low, high - rest, lanes, [&](Value* p) { body(p, {lanes, lanes}); });
  if (rest > 0) body(b.Index(high - rest), {lanes, static_cast<int>(rest)});
}

StageAxis ItemAxisAlong(const Piece& piece, const MemoryShape& shape, size_t axis) {
  StageAxis items{Extent(piece, axis)};
  // A box that begins at `low` does that many items too many at its end, which no one needs.
  const bool is_joined = piece.high[axis] > shape.axes[axis].extent;
  if (shape.axes[axis].block > 0 || (piece.low[axis] != 0 && is_joined)) return items;
  const Lead lead = LeadOf(piece, shape, axis);
  items.axis = static_cast<int>(shape.axes[lead.axis].logical);
  items.scale = lead.step;
  items.step = std::max<int64_t>(1, shape.axes[axis].outer_block);
  return items;
}

std::vector<StageAxis> ItemAxesOf(const Piece& piece, const PieceOutput& output) {
  const Division d = DivisionOf(piece, output.shape);
  std::vector<StageAxis> axes;
  for (size_t i = 0; i < d.item_axes; ++i) axes.push_back(ItemAxisAlong(piece, output.shape, i));
  if (d.chunks == 1) return axes;
  axes.push_back(ItemAxisAlong(piece, output.shape, ChunkAxisOf(d, output.shape)));
  axes.back().items = d.chunks;
  axes.back().step = d.chunk;
  return axes;
}

int64_t ItemsOf(const Piece& piece, const PieceOutput& output) {
  const Division d = DivisionOf(piece, output.shape);
  return d.rows * d.chunks;
}

void EmitPiece(Evaluator& e, const Piece& piece, const PieceOutput& output, Value* begin, Value* end) {
  KernelBuilder& b = e.b();
  const Division d = DivisionOf(piece, output.shape);
  const size_t lane_axis = output.shape.lane_axis;
  const bool lines =
      lane_axis < piece.low.size() && LinesUp(piece, d, lane_axis, e.Operand(output.operand), b.machine());
  b.For(begin, end, 1, [&](Value* item) {
    e.Enter(piece);
    const Vals at = ItemPosition(b, piece, d.item_axes, piece.low.size(), b.Div(item, d.chunks));
    const auto in_row = [&](const Vals& row, const std::function<void(Value*, Lanes)>& body) {
      if (lines) return ForRowLines(e, piece, output, d, row, b.Mod(item, d.chunks), body);
      if (d.chunk > 0 && !output.shape.lanes_in_block())
        return ForChunk(b, piece, lane_axis, d, b.Mod(item, d.chunks), body);
      if (piece.in_line) return ForLanesInLine(piece, lane_axis, b, body);
      if (!output.shape.lanes_in_block()) {
        return ForLanes(b, piece.low[lane_axis], piece.high[lane_axis], piece.lanes, body);
      }
      body(b.Index(0), {piece.lanes, piece.valid > 0 ? piece.valid : piece.lanes});
    };
    const size_t axis = d.item_axes;
    if (d.chunks == 1 || !output.shape.lanes_in_block()) return EmitInner(e, piece, output, axis, at, in_row);
    Value* from = b.Add(b.Mul(b.Mod(item, d.chunks), d.chunk), piece.low[axis]);
    b.For(from, b.Min(b.Add(from, d.chunk), b.Index(piece.high[axis])), 1, [&](Value* position) {
      Vals here = at;
      here[axis] = position;
      EmitInner(e, piece, output, axis + 1, here, in_row);
    });
  });
}

}  // namespace hone
