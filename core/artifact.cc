#include "core/artifact.h"

#include <fmt/format.h>

#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 37;

Shape PhysicalShapeOf(const KernelOperand& operand) {
  if (operand.layout.empty()) return operand.shape;
  if (operand.layout.LogicalAxes().size() != operand.shape.size()) {
    throw Error(ExitCode::kBadData,
                fmt::format("layout {} does not fit shape {}", operand.layout.ToText(), ShapeText(operand.shape)));
  }
  return operand.layout.PhysicalShape(operand.shape);
}

}  // namespace

int64_t PhysicalBytes(const KernelOperand& operand) {
  const int64_t elements = ElementCount(PhysicalShapeOf(operand));
  if (elements > kMostElements) throw Error(ExitCode::kBadData, fmt::format("{} elements are too many", elements));
  return elements * DTypeBytes(operand.dtype);
}

int64_t PhysicalImages(const KernelOperand& operand) {
  const Shape physical = PhysicalShapeOf(operand);
  return physical.empty() ? 1 : physical[0];
}

}  // namespace hone
