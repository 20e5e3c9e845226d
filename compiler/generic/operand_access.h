// Reads and writes of a tensor in memory at logical coordinates, in any layout.
#pragma once

#include "compiler/codegen/element.h"
#include "compiler/generic/coordinate.h"
#include "core/layout.h"
#include "core/tensor.h"

namespace hone {

struct OperandAccess {
  Value* base = nullptr;
  // If set, steps along the outermost axis in memory are this many bytes instead of the shape's.
  Value* batch_stride = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;    // logical
  Layout layout;  // empty: row-major
};

// One value per lane; lanes past lanes.valid hold anything. Never reads outside the tensor if every valid lane is
// inside it. Valid lanes that are neighbours are read by one vector load, others lane by lane.
Value* LoadOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes);
// LoadOperand at a position in row-major order, for operands without a layout.
Value* LoadFlat(KernelBuilder& b, const OperandAccess& operand, const Coordinate& at, Lanes lanes);
// Writes the valid lanes. In a blocked innermost axis it writes all lanes, with zeros past the valid ones.
void StoreOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes, Value* value);

// The value with lanes past `valid` replaced by zero.
Value* ZeroPast(KernelBuilder& b, Value* value, int valid);

}  // namespace hone
