// The overlap of two boxes, as ONNX's NonMaxSuppression defines it. All in float32, so that reference and kernel decide
// alike.
#pragma once

#include <algorithm>

namespace hone::relay {

struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;  // left <= right, top <= bottom
  float area() const { return (right - left) * (bottom - top); }
};

// Makes a box of four numbers: two opposite corners (y, x, y, x), or the centre and the size (x, y, width, height).
inline Box BoxOf(const float* at, bool is_centre) {
  if (is_centre) {
    const float half_width = at[2] / 2, half_height = at[3] / 2;
    return {at[0] - half_width, at[1] - half_height, at[0] + half_width, at[1] + half_height};
  }
  return {std::min(at[1], at[3]), std::min(at[0], at[2]), std::max(at[1], at[3]), std::max(at[0], at[2])};
}

// Whether the intersection is more than `threshold` of the union. False for boxes without area.
inline bool OverlapsMore(const Box& a, const Box& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left),
              height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0) || !(height > 0)) return false;
  const float both = width * height, either = a.area() + b.area() - both;
  return both > 0 && a.area() > 0 && b.area() > 0 && either > 0 && both / either > threshold;
}

}  // namespace hone::relay
