// Reads and writes of a tensor in memory at logical coordinates, whatever its layout.
#pragma once

#include "compiler/codegen/element.h"
#include "compiler/generic/coordinate.h"
#include "core/layout.h"
#include "core/tensor.h"

namespace hone {

struct OperandAccess {
  Value* base = nullptr;
  // When set, steps along the outermost axis in memory are this many bytes, not what the shape says.
  Value* batch_stride = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;    // logical
  Layout layout;  // empty: row-major
};

// One value per lane; lanes past lanes.valid hold anything. Never touches memory outside the tensor when every valid
// lane is inside it: a vector load is made where the valid lanes are neighbours, lane by lane otherwise.
Value* LoadOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes);
// The same at a position in row-major order, for operands without a layout.
Value* LoadFlat(KernelBuilder& b, const OperandAccess& operand, const Coordinate& at, Lanes lanes);
// Writes the valid lanes; into a blocked innermost axis all lanes, with zeros past the valid ones.
void StoreOperand(KernelBuilder& b, const OperandAccess& operand, const Coordinates& at, Lanes lanes, Value* value);

// The value with lanes past `valid` replaced by zero.
Value* ZeroPast(KernelBuilder& b, Value* value, int valid);

}  // namespace hone
