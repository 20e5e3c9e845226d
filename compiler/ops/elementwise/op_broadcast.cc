#include "compiler/ops/elementwise/op_broadcast.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"

namespace hone::relay {

std::string CommonLayout(const std::vector<const Type*>& operands, const Shape& shape) {
  std::string layout;
  for (const Type* type : operands) {
    if (layout.empty()) layout = type->layout;
  }
  for (const Type* type : operands) {
    const bool broadcast = type->layout.empty() && type->shape != shape;
    if (type->layout != layout && !broadcast) {
      Misfit(fmt::format("operands lie as {} and {}", layout, type->layout.empty() ? "row-major" : type->layout));
    }
  }
  return layout;
}

TypePtr BroadcastOf(const std::vector<const Type*>& operands, DType dtype) {
  Shape shape;
  for (const Type* type : operands) shape = BroadcastShapes(shape, type->shape);
  std::string layout = CommonLayout(operands, shape);
  return TensorType(std::move(shape), dtype, std::move(layout));
}

}  // namespace hone::relay
