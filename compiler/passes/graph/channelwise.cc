#include "compiler/passes/graph/channelwise.h"

#include <algorithm>

#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {
namespace {

// Whether it is a constant that does not vary over images, rows and columns.
bool IsOnePerChannel(const relay::ExprPtr& expr) {
  if (relay::AsConstant(expr) == nullptr) return false;
  const Shape& shape = ShapeOf(expr);
  const size_t kept = shape.size() - std::min<size_t>(shape.size(), 2);
  const auto is_one = [](int64_t extent) { return extent == 1; };
  return (shape.size() < 4 || shape[0] == 1) &&
         std::all_of(shape.begin() + static_cast<int64_t>(kept), shape.end(), is_one);
}

}  // namespace

bool IsImage(const relay::ExprPtr& expr) { return relay::IsFloatImage(expr->type) && IsStatic(ShapeOf(expr)); }

bool IsUnary(const relay::Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  return op != nullptr && call.args.size() == 1 && op->def->pattern == relay::OpPattern::kElementwise &&
         relay::IsFloatTensor(call.type);
}

bool IsBias(const relay::Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  return op != nullptr && op->def->name == "nn.bias_add" && call.attrs.GetInt("axis", 1) == 1;
}

bool TreatsPixelsAlike(const relay::Call& call) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  if (IsBias(call)) return true;
  const bool names = HasAttr(op, "axis", relay::AttrKind::kInt) || HasAttr(op, "shape", relay::AttrKind::kInts);
  if (op.pattern > relay::OpPattern::kBroadcast || names) return false;
  return std::all_of(call.args.begin() + 1, call.args.end(), IsOnePerChannel);
}

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
