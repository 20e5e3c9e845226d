// The arrangement of a tensor's elements in memory, as a value with a text form, and generic packing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace hone {

// A layout such as "NCHW", "NCHW16c", "OIHW8i16o" or "O16o". Capital letters are whole axes (or the outer part of a
// blocked axis); NUMBERletter is an inner block of that axis. Axis X with block b has ceil(X / b) outer steps; lanes
// past X are zero at rest. A letter may be blocked more than once, the outer block first. "OIHW4i16o4i" keeps 16
// inputs together as 4 groups of 4, as dot products of 4 need them; I then has ceil(I / 16) outer steps.
//
// "@winograd2" or "@winograd4" at the end says that 3x3 weights (logical axes OIHW) are transformed before they are
// laid out. The transform is for tiles of 2x2 or 4x4 outputs. H and W then count frequencies, 4 or 6 each:
// "HWOI16i16o@winograd4". See core/winograd.h. Transformed int8 weights take two bytes, and W counts these, in blocks
// of two: "HWOI4i8o2i2w@winograd2".
class Layout {
 public:
  struct Axis {
    char name = 0;      // capital letter of the logical axis
    int64_t block = 0;  // 0: outer or whole axis; otherwise the size of this inner block
    bool operator==(const Axis&) const = default;
  };

  Layout() = default;
  // A block is 1 to 65536, and so is the product of an axis' blocks. The empty text is the layout of a scalar. Throws
  // Error(kBadData) naming the text.
  static Layout Parse(std::string_view text);
  std::string ToText() const;

  bool empty() const { return axes_.empty(); }
  const std::vector<Axis>& axes() const { return axes_; }
  // The number of consecutive coordinates of the axis that lie together: the product of its blocks. Returns 0 if the
  // axis is absent or not blocked.
  int64_t BlockOf(char axis) const;
  bool blocked() const;
  // The logical axes in the order of their capital letters: "NCHW" for "NCHW16c"; "OIHW" for transformed weights.
  std::string LogicalAxes() const;
  // The number of outputs along one side of a Winograd tile; 0 for a layout without a transform.
  int64_t winograd_tile() const { return winograd_tile_; }

  // The shape in memory of a tensor whose logical dimensions are named by `logical_axes` ("NCHW"). Throws
  // Error(kBadData) when the axes differ or the product overflows.
  Shape PhysicalShape(const Shape& logical, std::string_view logical_axes) const;
  // PhysicalShape with logical_axes = LogicalAxes().
  Shape PhysicalShape(const Shape& logical) const { return PhysicalShape(logical, LogicalAxes()); }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<Axis> axes_;
  int64_t winograd_tile_ = 0;
};

// Copies `logical`, whose dimensions are named by layout.LogicalAxes(), into the layout. Lanes past an axis are zero.
// The result's shape is the physical shape. Any dtype.
Tensor Pack(const Tensor& logical, const Layout& layout);
// The inverse of Pack: drops the lanes past each axis. `shape` is the logical shape. Throws Error(kBug) for
// transformed weights.
Tensor Unpack(const Tensor& physical, const Layout& layout, const Shape& shape);

}  // namespace hone
