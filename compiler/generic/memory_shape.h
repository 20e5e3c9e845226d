// The layout of a kernel's operands in memory: their dimensions, and whether their images are contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/layout.h"
#include "core/tensor.h"

namespace hone {

// The physical shape, and for each physical axis its logical axis and block.
struct MemoryShape {
  struct Axis {
    int64_t extent = 1;
    size_t logical = 0;
    int64_t block = 0;        // size of the inner block that this axis is, or 0
    int64_t outer_block = 0;  // the block that splits this axis, or 0
    int64_t stride = 1;       // elements
    bool ends = false;        // whether runs may end before the extent
  };
  std::vector<Axis> axes;
  // The axis that vectors run along: the last one with more than one step; axes.size() if there is none.
  size_t lane_axis = 0;
  bool lanes_in_block() const { return lane_axis < axes.size() && axes[lane_axis].block > 0; }
};
// An empty layout is row-major; `shape` is logical.
MemoryShape MemoryShapeOf(const Shape& shape, const Layout& layout);

// The function with the numbers of operands (parameters, then results) whose images are not contiguous, in its
// attribute "apart". At every access, a generic kernel steps along their outermost axis by the batch stride that it is
// given. Along other operands' outermost axis it steps by the shape.
relay::FunctionPtr WithImagesApart(const relay::FunctionPtr& function, std::vector<int64_t> operands);
bool LiesApart(const relay::Function& function, size_t operand);

// The function with the logical axes of its results along which runs may need the first positions alone, in its
// attribute "ends": pairs of a result's number and an axis. Such axes are divided into work items.
relay::FunctionPtr WithEnds(const relay::FunctionPtr& function, std::vector<int64_t> ends);
// Marks the axes of a result's shape.
void MarkEnds(const relay::Function& function, size_t result, MemoryShape& shape);

}  // namespace hone
