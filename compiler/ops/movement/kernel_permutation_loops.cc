#include "compiler/ops/movement/kernel_permutation_loops.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/math/across_lanes.h"
#include "compiler/generic/memory_shape.h"
#include "core/ceil_div.h"
#include "core/layout.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kSide = kPermutedSide;
constexpr int64_t kItemSquares = 16;  // approximate number per item

int64_t SourceExtent(const PermutedBox& box) { return box.source.extent * box.around_source.extent; }
int64_t ResultExtent(const PermutedBox& box) { return box.result.extent * box.around_result.extent; }

// Numbers of successive squares of an item along either axis.
struct Chunks {
  int64_t source, result;                // squares of an item
  int64_t source_chunks, result_chunks;  // items
};
// Rows of few squares are read or written from end to end. Otherwise few cache lines are open for writing at a time.
Chunks ChunksOf(const PermutedBox& box) {
  constexpr int64_t kShortRow = 6;
  const int64_t sources = CeilDiv(SourceExtent(box), kSide), results = CeilDiv(ResultExtent(box), kSide);
  Chunks chunks{1, kItemSquares, 1, 1};
  if (results <= kShortRow) chunks = {kItemSquares, 1, 1, 1};
  if (sources <= kShortRow) chunks = {sources, kItemSquares / sources, 1, 1};
  chunks.source = std::min(chunks.source, sources);
  chunks.result = std::min(chunks.result, results);
  chunks.source_chunks = CeilDiv(sources, chunks.source);
  chunks.result_chunks = CeilDiv(results, chunks.result);
  return chunks;
}

// Elements of a tile's side, as many as in a vector. Elements of 1 and 2 bytes use vectors of 16, because a tile has as
// many rows in registers as a vector has elements.
int64_t TileLanes(KernelBuilder& b, DType dtype) {
  const int64_t vector_bytes = int64_t{b.lanes()} * 4, bytes = DTypeBytes(dtype);
  return std::min(bytes < 4 ? 16 / bytes : vector_bytes / bytes, kSide);
}

class PermutationEmitter {
 public:
  PermutationEmitter(KernelBuilder& b, const StageArgs& args, DType dtype, const PermutedBox& box)
      : b_(b),
        args_(args),
        box_(box),
        element_(ElementType(b, dtype)),
        element_bytes_(Bytes(dtype)),
        lanes_(TileLanes(b, dtype)) {
    from_ = b_.At(b_.Operand(args, 0), box.from * element_bytes_);
    to_ = b_.At(b_.Operand(args, 1), box.to * element_bytes_);
    result_from_ = From(box.result);
    source_to_ = To(box.source);
  }

  // The result's chunks vary fastest among an item's coordinates, so that neighbouring items write neighbouring memory.
  void Item(Value* item) {
    const Chunks chunks = ChunksOf(box_);
    Value* result_chunk = b_.Mod(item, chunks.result_chunks);
    item = b_.Div(item, chunks.result_chunks);
    Value* source_chunk = b_.Mod(item, chunks.source_chunks);
    item = b_.Div(item, chunks.source_chunks);
    Value *from = from_, *to = to_;
    for (size_t d = box_.outer.size(); d-- > 0;) {
      const PermutedAxis& axis = box_.outer[d];
      Value* at = d == 0 ? item : b_.Mod(item, axis.extent);
      item = b_.Div(item, axis.extent);
      from = b_.At(from, b_.Mul(at, From(axis)));
      to = b_.At(to, b_.Mul(at, To(axis)));
    }
    ForSquares(result_chunk, chunks.result, chunks.result_chunks, ResultExtent(box_), [&](Value* r, int64_t wide) {
      ForSquares(source_chunk, chunks.source, chunks.source_chunks, SourceExtent(box_), [&](Value* s, int64_t high) {
        Value* square_from = b_.At(b_.At(from, b_.Mul(s, element_bytes_)), b_.Mul(r, result_from_));
        Square(square_from, b_.At(b_.At(to, b_.Mul(r, element_bytes_)), b_.Mul(s, source_to_)), high, wide);
      });
    });
  }

 private:
  Value* From(const PermutedAxis& axis) {
    return axis.from_batch ? b_.BatchStride(args_, 0) : b_.Index(axis.from * element_bytes_);
  }
  Value* To(const PermutedAxis& axis) {
    return axis.to_batch ? b_.BatchStride(args_, 1) : b_.Index(axis.to * element_bytes_);
  }

  // The positions of a chunk in steps of whole squares, then the rest of the axis if the chunk is its last.
  void ForSquares(Value* chunk, int64_t squares, int64_t chunks, int64_t extent,
                  const std::function<void(Value* position, int64_t count)>& body) {
    const int64_t rest = extent % kSide, whole = extent - rest, step = squares * kSide;
    Value* first = b_.Mul(chunk, step);
    Value* last = chunks == 1 ? b_.Index(whole) : b_.Min(b_.Add(first, step), b_.Index(whole));
    if (whole > 0) b_.For(chunks == 1 ? b_.Index(0) : first, last, kSide, [&](Value* at) { body(at, kSide); });
    if (rest == 0) return;
    const auto tail = [&] { body(b_.Index(whole), rest); };
    chunks == 1 ? tail() : b_.If(b_.ir().CreateICmpEQ(chunk, b_.Index(chunks - 1)), tail);
  }

  // Moves `high` positions along the source's axis by `wide` along the result's; both are at most a side.
  void Square(Value* from, Value* to, int64_t high, int64_t wide) {
    for (int64_t r = 0; r < wide; r += lanes_) {
      for (int64_t s = 0; s < high; s += lanes_) {
        Tile(from, to, {s, std::min(lanes_, high - s)}, {r, std::min(lanes_, wide - r)});
      }
    }
  }

  // Bytes to a position of a square along the axis that is not contiguous.
  Value* Apart(int64_t at, int64_t extent, int64_t around, Value* step, Value* around_step) {
    if (around == 1) return b_.Mul(step, at);
    return b_.Add(b_.Mul(step, at % extent), b_.Mul(around_step, at / extent));
  }
  Value* FromOf(int64_t r) {
    return Apart(r, box_.result.extent, box_.around_result.extent, result_from_, From(box_.around_result));
  }
  Value* ToOf(int64_t s) {
    return Apart(s, box_.source.extent, box_.around_source.extent, source_to_, To(box_.around_source));
  }

  struct Span {
    int64_t first, count;
  };
  // Unknown rows have no source; the box is then one square wide.
  void Tile(Value* from, Value* to, Span source, Span result) {
    llvm::Type* vector = VectorOf(element_, static_cast<int>(lanes_));
    Vals tile(static_cast<size_t>(lanes_), llvm::Constant::getNullValue(vector));
    for (int64_t r = 0; r < std::min(result.count, box_.known - result.first); ++r) {
      Value* row = b_.At(from, b_.Add(FromOf(result.first + r), source.first * element_bytes_));
      Nth(tile, r) = Load(row, source.count);
    }
    tile = TransposeInRegisters(b_, tile);
    for (int64_t s = 0; s < source.count; ++s) {
      Value* row = b_.At(to, b_.Add(ToOf(source.first + s), result.first * element_bytes_));
      b_.Store(FirstLanes(Nth(tile, s), result.count), row);
    }
  }

  Value* Load(Value* from, int64_t count) {
    Value* loaded = b_.LoadAs(VectorOf(element_, static_cast<int>(count)), from);
    if (count == lanes_) return loaded;
    if (count == 1) return b_.Splat(loaded, static_cast<int>(lanes_));
    std::vector<int> mask(static_cast<size_t>(lanes_), llvm::PoisonMaskElem);
    std::iota(mask.begin(), mask.begin() + count, 0);
    return b_.ir().CreateShuffleVector(loaded, llvm::ArrayRef<int>(mask));
  }

  Value* FirstLanes(Value* value, int64_t count) {
    if (count == lanes_) return value;
    if (count == 1) return b_.ir().CreateExtractElement(value, uint64_t{0});
    std::vector<int> mask(static_cast<size_t>(count));
    std::iota(mask.begin(), mask.end(), 0);
    return b_.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(mask));
  }

  KernelBuilder& b_;
  const StageArgs& args_;
  const PermutedBox& box_;
  llvm::Type* element_;
  int64_t element_bytes_;
  int64_t lanes_;
  Value *from_, *to_, *result_from_, *source_to_;
};

}  // namespace

int64_t ItemsOf(const PermutedBox& box) {
  const Chunks chunks = ChunksOf(box);
  int64_t items = chunks.source_chunks * chunks.result_chunks;
  for (const PermutedAxis& axis : box.outer) items *= axis.extent;
  return items;
}

namespace {

// Items of `step` positions each along an axis of the result.
StageAxis ItemsAlong(const PermutedAxis& axis, int64_t items, int64_t step, const MemoryShape& result) {
  StageAxis along{items};
  const auto& axes = result.axes;
  for (size_t d = 0; d < axes.size(); ++d) {
    const bool is_batch = axis.to_batch && d == 0 && axis.extent == axes[0].extent;
    if (axes[d].extent == 1 || (axis.to_batch ? !is_batch : axes[d].stride != axis.to)) continue;
    // Axes that are neighbours in both tensors are one; the outermost leads.
    size_t lead = d;
    int64_t extent = axes[d].extent;
    while (extent < axis.extent && lead > 0) extent *= axes[--lead].extent;
    while (lead < d && axes[lead].extent == 1) ++lead;
    if (extent != axis.extent || axes[lead].block > 0 || axes[lead].outer_block > 0) return along;
    along.axis = static_cast<int>(axes[lead].logical);
    along.scale = extent / axes[lead].extent;
    along.step = step;
    return along;
  }
  return along;
}

}  // namespace

std::vector<StageAxis> PermutedItems(const PermutedBox& box, const relay::Type& result) {
  const Chunks chunks = ChunksOf(box);
  std::vector<StageAxis> items;
  for (const PermutedAxis& axis : box.outer) items.push_back({axis.extent});
  items.push_back({chunks.source_chunks});
  items.push_back({chunks.result_chunks});
  if (box.from != 0 || box.to != 0) return items;
  const MemoryShape lies = MemoryShapeOf(result.shape, Layout::Parse(result.layout));
  for (size_t d = 0; d < box.outer.size(); ++d) items[d] = ItemsAlong(box.outer[d], items[d].items, 1, lies);
  const auto chunked = [&](StageAxis& of, const PermutedAxis& axis, const PermutedAxis& around, int64_t squares) {
    if (around.extent == 1) of = ItemsAlong(axis, of.items, squares * kSide, lies);
  };
  chunked(items[items.size() - 2], box.source, box.around_source, chunks.source);
  PermutedAxis contiguous = box.result;
  contiguous.to = 1;
  chunked(items.back(), contiguous, box.around_result, chunks.result);
  return items;
}

void EmitPermutation(KernelBuilder& b, const StageArgs& args, DType dtype, const PermutedBox& box, Value* begin,
                     Value* end) {
  PermutationEmitter emitter(b, args, dtype, box);
  b.For(begin, end, 1, [&](Value* item) { emitter.Item(item); });
}

}  // namespace hone
