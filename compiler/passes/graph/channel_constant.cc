#include "compiler/passes/graph/channel_constant.h"

#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {
namespace {

Tensor Filled(const std::vector<double>& values, Shape shape) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

bool VariesAlong(const Shape& shape, const Shape& of, int axis) {
  if (shape.size() > of.size()) return false;
  const size_t skipped = of.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool is_axis = i + skipped == static_cast<size_t>(axis);
    if (shape[i] != 1 && !(is_axis && shape[i] == of[i + skipped])) return false;
  }
  return true;
}

}  // namespace

const relay::Constant* AsFloat32Constant(const relay::ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  return constant != nullptr && constant->value.dtype() == DType::kFloat32 ? constant : nullptr;
}

std::optional<std::vector<double>> PerChannel(const relay::ExprPtr& expr, const Shape& of, int axis) {
  const relay::Constant* constant = AsFloat32Constant(expr);
  if (constant == nullptr || !constant->type->layout.empty()) return {};
  const Tensor& value = constant->value;
  if (!VariesAlong(value.shape(), of, axis)) return {};
  std::vector<double> values(static_cast<size_t>(Nth(of, axis)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = value.At(value.elements() == 1 ? 0 : static_cast<int64_t>(i));
  }
  return values;
}

std::optional<double> ScalarOf(const relay::ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  if (constant == nullptr || constant->value.elements() != 1) return {};
  return constant->value.At(0);
}

relay::ExprPtr ChannelConstant(const std::vector<double>& values, size_t rank, int axis, std::string name) {
  Shape shape(rank - static_cast<size_t>(axis), 1);
  shape[0] = static_cast<int64_t>(values.size());
  return relay::MakeConstant(Filled(values, std::move(shape)), std::move(name));
}

relay::ExprPtr ScalarConstant(double value) { return relay::MakeConstant(Filled({value}, {})); }

relay::ExprPtr VectorConstant(const std::vector<double>& values, std::string name) {
  return relay::MakeConstant(Filled(values, {static_cast<int64_t>(values.size())}), std::move(name));
}

}  // namespace hone
