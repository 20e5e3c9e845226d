#include "compiler/relay/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::relay {
namespace {

bool AllEqual(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), Equal);
}

std::string Joined(const std::vector<TypePtr>& types) {
  std::string text;
  for (const TypePtr& type : types) text += (text.empty() ? "" : ", ") + ToText(type);
  return text;
}

std::string TensorText(const Type& type) {
  if (type.shape.empty()) return std::string(DTypeName(type.dtype));
  std::string dims;
  for (int64_t dim : type.shape) dims += (dims.empty() ? "" : ", ") + (dim == kAnyDim ? "?" : std::to_string(dim));
  const std::string layout = type.layout.empty() ? "" : ", " + type.layout;
  return fmt::format("Tensor[({}), {}{}]", dims, DTypeName(type.dtype), layout);
}

}  // namespace

TypePtr TensorType(Shape shape, DType dtype, std::string layout) {
  auto type = std::make_shared<Type>();
  type->shape = std::move(shape);
  type->dtype = dtype;
  type->layout = std::move(layout);
  return type;
}

TypePtr TupleType(std::vector<TypePtr> fields) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kTuple;
  type->fields = std::move(fields);
  return type;
}

TypePtr FuncType(std::vector<TypePtr> params, TypePtr result) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kFunc;
  type->params = std::move(params);
  type->result = std::move(result);
  return type;
}

bool IsKernelFloat(DType dtype) { return dtype == DType::kFloat32; }

bool IsFloatTensor(const TypePtr& type) { return type->kind == TypeKind::kTensor && IsKernelFloat(type->dtype); }

bool IsFloatImage(const TypePtr& type) { return IsFloatTensor(type) && type->shape.size() == 4; }

bool IsImageOfNumbers(const TypePtr& type) {
  const bool stored = type->kind == TypeKind::kTensor &&
                      (type->dtype == DType::kUInt8 || type->dtype == DType::kInt32 || type->dtype == DType::kBFloat16);
  return (stored && type->shape.size() == 4) || IsFloatImage(type);
}

bool Equal(const TypePtr& a, const TypePtr& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind) return false;
  if (a->kind == TypeKind::kTensor) return a->shape == b->shape && a->dtype == b->dtype && a->layout == b->layout;
  if (a->kind == TypeKind::kTuple) return AllEqual(a->fields, b->fields);
  return AllEqual(a->params, b->params) && Equal(a->result, b->result);
}

std::string ToText(const TypePtr& type) {
  if (type == nullptr) return "?";
  if (type->kind == TypeKind::kTensor) return TensorText(*type);
  if (type->kind == TypeKind::kFunc) return fmt::format("fn ({}) -> {}", Joined(type->params), ToText(type->result));
  // A tuple of one keeps its comma; otherwise it would read as a parenthesised tensor.
  return fmt::format("({}{})", Joined(type->fields), type->fields.size() == 1 ? "," : "");
}

}  // namespace hone::relay
