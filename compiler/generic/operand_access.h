// Coordinates of all lanes of a vector, and reads and writes of a tensor in memory at them, in any layout.
#pragma once

#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "core/layout.h"
#include "core/tensor.h"

namespace hone {

// A position along a logical axis. Lane l is at base + l * step. If `block` is set, the lanes lie inside one block of
// that many positions, from its first one on: base == block_index * block. A blocked operand can then be read as one
// vector.
struct Coordinate {
  Value* base = nullptr;  // i64
  int64_t step = 0;
  Value* block_index = nullptr;
  int64_t block = 0;
  // If set, a vector of i32, and lane l is at base + places[l]. The step is then 1: it says that lanes differ.
  Value* places = nullptr;
};
using Coordinates = std::vector<Coordinate>;

// The number of lanes of a value, and the number of them, from the first on, that stand for elements. Other lanes may
// hold anything.
struct Lanes {
  int count = 1;
  int valid = 1;
};
inline constexpr Lanes kScalar{1, 1};

// Whether a vector's first lanes are read and written in one instruction, whatever their number.
bool HasMaskedAccess(const MachineModel& machine);

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

struct OperandAccess {
  Value* base = nullptr;
  // If set, steps along the outermost axis in memory are this many bytes instead of the shape's.
  Value* batch_stride = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;    // logical
  Layout layout;  // empty: row-major
};

// The address of lane 0. Throws Error(kBug) if the lanes cross blocks of the layout.
Value* AddressOf(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at);
// One value per lane; lanes past lanes.valid hold anything. Never reads outside the tensor if every valid lane is
// inside it. Valid lanes that are neighbours are read by one vector load, others by a gather or lane by lane.
Value* LoadOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes);
// LoadOperand at a position in row-major order, for operands without a layout.
Value* LoadFlat(KernelBuilder& b, const OperandAccess& operand, const Coordinate& at, Lanes lanes);
// Writes the valid lanes. In a blocked innermost axis it writes all lanes, with zeros past the valid ones.
void StoreOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes, Value* value);

// The value with lanes past `valid` replaced by zero.
Value* ZeroPast(KernelBuilder& b, Value* value, int valid);

// A position that comes from data: a scalar index as i64, clamped to [0, extent); negative ones count from the back.
// The index may be anything, and a bad one must not read foreign memory.
Value* SafeIndex(KernelBuilder& b, Value* index, int64_t extent);

}  // namespace hone
