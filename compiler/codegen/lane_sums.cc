#include "compiler/codegen/lane_sums.h"

#include <algorithm>

#include "compiler/codegen/float_bits.h"

namespace hone {
namespace {

// Of each span of `span` lanes of the sources, which lie behind each other with `lanes` lanes each: every second piece
// of `piece` lanes, from the first or the second on; the first source's before the next one's.
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

// Adds neighbouring pieces within each span, of two vectors into one of the same length, or of one into one of half.
Vals AddNeighbours(KernelBuilder& b, const Vals& vectors, int span, int piece) {
  const int lanes = LaneCount(vectors.front()), sources = vectors.size() == 1 ? 1 : 2;
  const std::vector<int> even = EverySecond(sources, lanes, span, piece, false);
  const std::vector<int> odd = EverySecond(sources, lanes, span, piece, true);
  Vals sums;
  for (size_t i = 0; i < vectors.size(); i += 2) {
    Value *x = vectors[i], *y = sources == 1 ? x : vectors[i + 1];
    sums.push_back(b.FAdd(b.ir().CreateShuffleVector(x, y, even), b.ir().CreateShuffleVector(x, y, odd)));
  }
  return sums;
}

}  // namespace

Value* LaneSums(KernelBuilder& b, Vals vectors) {
  if (LaneCount(vectors.front()) == 1) return vectors.front();
  const int wanted = static_cast<int>(vectors.size());
  int group = std::min(LaneCount(vectors.front()), 4);
  for (int added = 1, of = group; added < of; added *= 2) {
    const bool halves = vectors.size() == 1;
    vectors = AddNeighbours(b, vectors, group, 1);
    if (halves) group /= 2;
  }
  while (vectors.size() > 1 || LaneCount(vectors.front()) > wanted) {
    vectors = AddNeighbours(b, vectors, LaneCount(vectors.front()), group);
  }
  Value* sums = vectors.front();
  return LaneCount(sums) == 1 ? b.ir().CreateExtractElement(sums, uint64_t{0}) : sums;
}

}  // namespace hone
