#include "compiler/codegen/math/across_lanes.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/math/float_bits.h"
#include "core/nth.h"

namespace hone {
namespace {

// A vector, and for each lane the index of the sum to which it belongs.
struct PartialSums {
  Value* lanes = nullptr;
  std::vector<int> of;
};

// The shuffle mask that takes every second piece of `piece` lanes, from the first (or second) on, out of each span of
// `span` lanes. The sources have `lanes` lanes each; within a span the first source's pieces precede the second's.
std::vector<int> EverySecond(int sources, int lanes, int span, int piece, bool second) {
  std::vector<int> mask;
  for (int first = 0; first < lanes; first += span) {
    for (int source = 0; source < sources; ++source) {
      for (int at = second ? piece : 0; at < span; at += 2 * piece) {
        for (int l = 0; l < piece; ++l) mask.push_back(source * lanes + first + at + l);
      }
    }
  }
  return mask;
}

// Adds neighbouring pieces within each span: two vectors give one of the same length, a single one gives one of half
// the length.
std::vector<PartialSums> AddNeighbours(KernelBuilder& b, const std::vector<PartialSums>& parts, int span, int piece) {
  auto& ir = b.ir();
  const int lanes = LaneCount(parts.front().lanes), sources = parts.size() == 1 ? 1 : 2;
  const std::vector<int> even = EverySecond(sources, lanes, span, piece, false);
  const std::vector<int> odd = EverySecond(sources, lanes, span, piece, true);
  const bool floats = parts.front().lanes->getType()->isFPOrFPVectorTy();
  std::vector<PartialSums> sums;
  for (size_t i = 0; i < parts.size(); i += 2) {
    const PartialSums &x = parts[i], &y = parts[sources == 1 ? i : i + 1];
    Value *first = ir.CreateShuffleVector(x.lanes, y.lanes, even),
          *second = ir.CreateShuffleVector(x.lanes, y.lanes, odd);
    PartialSums& sum = sums.emplace_back();
    sum.lanes = floats ? b.FAdd(first, second) : ir.CreateAdd(first, second);
    for (const int lane : even) sum.of.push_back(lane < lanes ? Nth(x.of, lane) : Nth(y.of, lane - lanes));
  }
  return sums;
}

Value* InOrder(KernelBuilder& b, const PartialSums& sums) {
  if (std::is_sorted(sums.of.begin(), sums.of.end())) return sums.lanes;
  std::vector<int> lanes(sums.of.size());
  std::iota(lanes.begin(), lanes.end(), 0);
  std::sort(lanes.begin(), lanes.end(), [&](int x, int y) { return Nth(sums.of, x) < Nth(sums.of, y); });
  return b.ir().CreateShuffleVector(sums.lanes, lanes);
}

}  // namespace

Value* LaneSums(KernelBuilder& b, const Vals& vectors, int sums) {
  const int lanes = LaneCount(vectors.front()), length = lanes / sums;
  if (lanes == 1) return vectors.front();
  std::vector<PartialSums> parts;
  for (Value* vector : vectors) {
    PartialSums& part = parts.emplace_back(PartialSums{vector, {}});
    for (int l = 0; l < lanes; ++l) part.of.push_back(static_cast<int>(parts.size() - 1) * sums + l / length);
  }
  int piece = std::min(length, 4);
  for (int added = 1, near = piece; added < near; added *= 2) {
    const bool halves = parts.size() == 1;
    parts = AddNeighbours(b, parts, piece, 1);
    if (halves) piece /= 2;
  }
  const int wanted = static_cast<int>(vectors.size()) * sums;
  while (parts.size() > 1 || LaneCount(parts.front().lanes) > wanted) {
    parts = AddNeighbours(b, parts, LaneCount(parts.front().lanes), piece);
  }
  Value* all = InOrder(b, parts.front());
  return wanted == 1 ? b.ir().CreateExtractElement(all, uint64_t{0}) : all;
}

namespace {

// Alternates lanes of x and y, from the lower or the upper half of each span: unpack of x86, zip of Arm.
Value* Interleaved(KernelBuilder& b, Value* x, Value* y, size_t lanes, size_t span, bool upper) {
  std::vector<int> mask;
  for (size_t first = 0; first < lanes; first += span) {
    const size_t half = first + (upper ? span / 2 : 0);
    for (size_t i = half; i < half + span / 2; ++i) {
      mask.push_back(static_cast<int>(i));
      mask.push_back(static_cast<int>(lanes + i));
    }
  }
  return b.ir().CreateShuffleVector(x, y, llvm::ArrayRef<int>(mask));
}

// Groups of `group` lanes of x, then of y: every `apart`-th group from group `first` on, half of all groups.
Value* Groups(KernelBuilder& b, Value* x, Value* y, size_t lanes, size_t group, size_t first, size_t apart) {
  std::vector<int> mask;
  for (const size_t from : {size_t{0}, lanes}) {
    for (size_t i = 0; i < lanes / group / 2; ++i) {
      for (size_t l = 0; l < group; ++l) mask.push_back(static_cast<int>(from + (first + i * apart) * group + l));
    }
  }
  return b.ir().CreateShuffleVector(x, y, llvm::ArrayRef<int>(mask));
}

// Transposes rows [first, first + span) within each span of lanes. Each step interleaves the first half of the rows
// with the second; after log2(span) steps every lane is in its place:
//
//   a0 a1 a2 a3      a0 c0 a1 c1      a0 b0 c0 d0
//   b0 b1 b2 b3      a2 c2 a3 c3      a1 b1 c1 d1
//   c0 c1 c2 c3      b0 d0 b1 d1      a2 b2 c2 d2
//   d0 d1 d2 d3      b2 d2 b3 d3      a3 b3 c3 d3
void TransposeSpans(KernelBuilder& b, Vals& rows, size_t first, size_t span) {
  for (size_t step = 1; step < span; step *= 2) {
    Vals next;
    for (size_t i = 0; i < span; ++i) {
      const size_t row = first + i / 2;
      next.push_back(Interleaved(b, rows[row], rows[row + span / 2], rows.size(), span, i % 2 != 0));
    }
    std::copy(next.begin(), next.end(), rows.begin() + static_cast<int64_t>(first));
  }
}

// result[i] has group i of each row. There are as many rows as groups: 1, 2 or 4.
Vals TransposeGroups(KernelBuilder& b, const Vals& rows, size_t lanes, size_t group) {
  if (rows.size() == 1) return rows;
  const size_t half = rows.size() / 2;
  Vals halves;  // lower halves of each pair of rows, then upper ones
  for (const size_t first : {size_t{0}, half}) {
    for (size_t i = 0; i < half; ++i) {
      halves.push_back(Groups(b, rows[2 * i], rows[2 * i + 1], lanes, group, first, 1));
    }
  }
  if (half == 1) return halves;
  Vals result;
  for (size_t i = 0; i < rows.size(); ++i) {
    result.push_back(Groups(b, halves[i / 2 * 2], halves[i / 2 * 2 + 1], lanes, group, i % 2, 2));
  }
  return result;
}

}  // namespace

Vals TransposeInRegisters(KernelBuilder& b, Vals rows) {
  // The lanes of 16 bytes: in longer vectors interleaving stays within each 16 bytes.
  const size_t element_bits = rows[0]->getType()->getScalarSizeInBits();
  const size_t lanes = rows.size(), span = std::min<size_t>(lanes, 128 / element_bits);
  for (size_t first = 0; first < lanes; first += span) TransposeSpans(b, rows, first, span);
  Vals result(lanes);
  for (size_t i = 0; i < span; ++i) {
    Vals column;
    for (size_t first = 0; first < lanes; first += span) column.push_back(rows[first + i]);
    column = TransposeGroups(b, column, lanes, span);
    for (size_t g = 0; g < column.size(); ++g) result[g * span + i] = column[g];
  }
  return result;
}

Vals JoinedFours(KernelBuilder& b, const Vals& rows) {
  constexpr size_t kSpanBytes = 16;
  auto& ir = b.ir();
  const auto bytes = static_cast<size_t>(LaneCount(rows[0]));
  auto* pairs = llvm::FixedVectorType::get(ir.getInt16Ty(), static_cast<unsigned>(bytes / 2));
  auto* fours = llvm::FixedVectorType::get(b.i32(), static_cast<unsigned>(bytes / 4));
  const auto pair = [&](size_t first, bool upper) {
    return ir.CreateBitCast(Interleaved(b, rows[first], rows[first + 1], bytes, kSpanBytes, upper), pairs);
  };
  Vals joined;
  for (const bool upper : {false, true}) {
    Value *low = pair(0, upper), *high = pair(2, upper);
    for (const bool half : {false, true}) {
      joined.push_back(ir.CreateBitCast(Interleaved(b, low, high, bytes / 2, kSpanBytes / 2, half), fours));
    }
  }
  return joined;
}

Vals InColumnOrder(KernelBuilder& b, const Vals& joined) {
  constexpr size_t kGroup = 4;
  const auto lanes = static_cast<size_t>(LaneCount(joined[0]));
  const size_t together = lanes / kGroup, sets = joined.size() / together;
  Vals ordered(joined.size());
  for (size_t set = 0; set < sets; ++set) {
    const auto first = joined.begin() + static_cast<int64_t>(set * together);
    const Vals groups = TransposeGroups(b, {first, first + static_cast<int64_t>(together)}, lanes, kGroup);
    for (size_t i = 0; i < together; ++i) ordered[i * sets + set] = groups[i];
  }
  return ordered;
}

}  // namespace hone
