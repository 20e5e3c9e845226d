#include "compiler/codegen/math/lane_sums.h"

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

}  // namespace hone
