#include "compiler/passes/layouts/layout_text.h"

#include <fmt/format.h>

namespace hone {

std::string LayoutName(const Layout& layout) {
  return layout.blocked() || layout.winograd_tile() != 0 ? layout.ToText() : "";
}

std::string RowMajorText(const std::string& other) { return Layout::Parse(other).LogicalAxes(); }

relay::TypePtr InLayout(const relay::TypePtr& type, const std::string& layout) {
  return relay::TensorType(type->shape, type->dtype, layout);
}

int64_t ChannelBlock(const relay::TypePtr& type) {
  if (type->kind != relay::TypeKind::kTensor || type->layout.empty()) return 0;
  const int64_t block = Layout::Parse(type->layout).BlockOf('C');
  return type->layout == fmt::format("NCHW{}c", block) ? block : 0;
}

Shape PhysicalShapeOf(const relay::Type& type) {
  return type.layout.empty() ? type.shape : Layout::Parse(type.layout).PhysicalShape(type.shape);
}

}  // namespace hone
