#include "compiler/ops/classical/onnx_input.h"

#include <fmt/format.h>

#include "compiler/frontend/onnx/cast_target.h"

namespace hone {

using relay::ExprPtr;
using Kind = OnnxAttribute::Kind;

ExprPtr FeatureMatrix(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  if (shape.empty() || shape.size() > 2 || ElementCount(shape) == 0) {
    RefuseNode(fmt::format("X is {}; it must be a matrix", ShapeText(shape)));
  }
  return view.Reshape(AsDType(view, view.Input(0), DType::kFloat32), {shape.size() == 2 ? shape[0] : 1, shape.back()});
}

std::vector<float> FloatsOf(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* list = view.Find(name);
  if (list == nullptr) list = view.Find(fmt::format("{}_as_tensor", name));
  if (list == nullptr) return {};
  if (list->kind == Kind::kFloats) return {list->floats.begin(), list->floats.end()};
  if (list->kind != Kind::kTensor) RefuseNode(fmt::format("the attribute {} is of the wrong kind", name));
  std::vector<float> values;
  values.reserve(static_cast<size_t>(list->tensor.elements()));
  for (int64_t i = 0; i < list->tensor.elements(); ++i) values.push_back(static_cast<float>(list->tensor.At(i)));
  return values;
}

std::vector<int64_t> IntsOf(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* list = view.Find(name);
  if (list == nullptr || list->kind != Kind::kTensor) return view.Ints(name, {});
  if (IsFloat(list->tensor.dtype())) RefuseNode(fmt::format("the attribute {} must hold integers", name));
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(list->tensor.elements()));
  for (int64_t i = 0; i < list->tensor.elements(); ++i) values.push_back(static_cast<int64_t>(list->tensor.At(i)));
  return values;
}

void RequireCount(std::string_view name, size_t given, size_t wanted, std::string_view of) {
  if (given != wanted) RefuseNode(fmt::format("{} holds {} numbers for {} {}", name, given, wanted, of));
}

}  // namespace hone
