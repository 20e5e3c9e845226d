#include "compiler/generic/memory_shape.h"

#include <algorithm>
#include <string>
#include <utility>

namespace hone {
namespace {

// The logical axes of a layout in the order of a tensor's dimensions.
std::string LogicalNames(const Layout& layout) {
  const std::string names = layout.LogicalAxes();
  for (const std::string canonical : {"NCHW", "OIHW"}) {
    if (std::is_permutation(names.begin(), names.end(), canonical.begin(), canonical.end())) return canonical;
  }
  return names;
}

}  // namespace

MemoryShape MemoryShapeOf(const Shape& dims, const Layout& layout) {
  MemoryShape shape;
  if (layout.empty()) {
    for (size_t d = 0; d < dims.size(); ++d) shape.axes.push_back({dims[d], d, 0, 0, 1});
  } else {
    const std::string names = LogicalNames(layout);
    const Shape physical = layout.PhysicalShape(dims, names);
    for (size_t i = 0; i < physical.size(); ++i) {
      const Layout::Axis& axis = layout.axes()[i];
      const int64_t outer = axis.block > 0 ? 0 : layout.BlockOf(axis.name);
      shape.axes.push_back({physical[i], names.find(axis.name), axis.block, outer, 1});
    }
  }
  for (size_t i = shape.axes.size(); i-- > 1;) {
    shape.axes[i - 1].stride = shape.axes[i].stride * shape.axes[i].extent;
  }
  // A vector cannot run along an axis of one step.
  shape.lane_axis = shape.axes.size();
  for (size_t i = shape.axes.size(); i-- > 0 && shape.lane_axis == shape.axes.size();) {
    if (shape.axes[i].extent > 1) shape.lane_axis = i;
  }
  return shape;
}

namespace {

constexpr const char *kAttr = "apart", *kEnds = "ends";

relay::FunctionPtr WithAttr(const relay::FunctionPtr& function, const char* name, std::vector<int64_t> numbers) {
  auto copy = relay::WithFields(*function, function->params, function->body);
  copy->type = function->type;
  copy->attrs.Set(name, std::move(numbers));
  return copy;
}

}  // namespace

relay::FunctionPtr WithImagesApart(const relay::FunctionPtr& function, std::vector<int64_t> operands) {
  return WithAttr(function, kAttr, std::move(operands));
}

bool LiesApart(const relay::Function& function, size_t operand) {
  const std::vector<int64_t> apart = function.attrs.GetInts(kAttr);
  return std::find(apart.begin(), apart.end(), static_cast<int64_t>(operand)) != apart.end();
}

relay::FunctionPtr WithEnds(const relay::FunctionPtr& function, std::vector<int64_t> ends) {
  return WithAttr(function, kEnds, std::move(ends));
}

void MarkEnds(const relay::Function& function, size_t result, MemoryShape& shape) {
  const std::vector<int64_t> ends = function.attrs.GetInts(kEnds);
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    if (static_cast<size_t>(ends[i]) != result) continue;
    for (MemoryShape::Axis& axis : shape.axes)
      axis.ends = axis.ends || axis.logical == static_cast<size_t>(ends[i + 1]);
  }
}

}  // namespace hone
