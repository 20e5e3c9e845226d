#include "compiler/generic/coordinate.h"

#include <algorithm>

namespace hone {

Coordinate At(Value* base) { return {base}; }
Coordinate At(KernelBuilder& b, int64_t position) { return {b.Index(position)}; }

Coordinate Shifted(KernelBuilder& b, const Coordinate& c, int64_t by) {
  Coordinate moved{b.Add(c.base, by), c.step};
  if (c.block > 0 && by % c.block == 0) {
    moved.block = c.block;
    moved.block_index = b.Add(c.block_index, by / c.block);
  }
  return moved;
}

Coordinate Scaled(KernelBuilder& b, const Coordinate& c, int64_t factor) {
  if (factor == 1) return c;
  return {b.Mul(c.base, factor), c.step * factor};
}

Coordinate LaneOf(KernelBuilder& b, const Coordinate& c, int lane) {
  return c.step == 0 ? c : Coordinate{b.Add(c.base, lane * c.step)};
}

Coordinates LanesOf(KernelBuilder& b, const Coordinates& c, int lane) {
  Coordinates result;
  for (const Coordinate& one : c) result.push_back(LaneOf(b, one, lane));
  return result;
}

bool Varies(const Coordinates& c) {
  return std::any_of(c.begin(), c.end(), [](const Coordinate& one) { return one.step != 0; });
}

}  // namespace hone
