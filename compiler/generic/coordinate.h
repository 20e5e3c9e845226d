// Positions along logical axes, for all lanes of a vector at once.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Lane l is at base + l * step. If `block` is set, the lanes lie inside one block of that many positions, from its
// first one on: base == block_index * block. A blocked operand can then be read as one vector.
struct Coordinate {
  Value* base = nullptr;  // i64
  int64_t step = 0;
  Value* block_index = nullptr;
  int64_t block = 0;
};
using Coordinates = std::vector<Coordinate>;

// The number of lanes of a value, and the number of them, from the first on, that stand for elements. Other lanes may
// hold anything.
struct Lanes {
  int count = 1;
  int valid = 1;
};
inline constexpr Lanes kScalar{1, 1};

Coordinate At(Value* base);
Coordinate At(KernelBuilder& b, int64_t position);
Coordinate Shifted(KernelBuilder& b, const Coordinate& c, int64_t by);
// `factor` may be negative or 0.
Coordinate Scaled(KernelBuilder& b, const Coordinate& c, int64_t factor);
// The scalar position of one lane.
Coordinate LaneOf(KernelBuilder& b, const Coordinate& c, int lane);
Coordinates LanesOf(KernelBuilder& b, const Coordinates& c, int lane);
// Whether any lane differs from another.
bool Varies(const Coordinates& c);

}  // namespace hone
