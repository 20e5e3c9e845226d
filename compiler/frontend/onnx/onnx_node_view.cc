#include "compiler/frontend/onnx/onnx_node_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;
using Kind = OnnxAttribute::Kind;

void RefuseNode(const std::string& why) { throw Error(ExitCode::kBadData, why); }

const ExprPtr& OnnxNodeView::Input(int i) const {
  if (!HasInput(i)) RefuseNode(fmt::format("input {} is missing", i));
  return Nth(inputs_, i);
}

std::optional<std::vector<int64_t>> OnnxNodeView::InputInts(int i, std::string_view what) const {
  if (!HasInput(i)) return std::nullopt;
  const Tensor* value = InputValue(i);
  if (value == nullptr) RefuseNode(fmt::format("its {} must be known when the model is imported", what));
  if (value->dtype() != DType::kInt64 && value->dtype() != DType::kInt32) {
    RefuseNode(fmt::format("its {} must be integers, they are {}", what, DTypeName(value->dtype())));
  }
  std::vector<int64_t> ints;
  for (int64_t k = 0; k < value->elements(); ++k) {
    ints.push_back(value->dtype() == DType::kInt64 ? value->data<int64_t>()[k] : value->data<int32_t>()[k]);
  }
  return ints;
}

const OnnxAttribute* OnnxNodeView::Find(std::string_view name) const {
  for (const auto& [key, attribute] : node_.attributes) {
    if (key == name) return &attribute;
  }
  return nullptr;
}

const OnnxAttribute* OnnxNodeView::Find(std::string_view name, Kind kind) const {
  const OnnxAttribute* attribute = Find(name);
  if (attribute != nullptr && attribute->kind != kind) {
    RefuseNode(fmt::format("the attribute {} is of the wrong kind", name));
  }
  return attribute;
}

int64_t OnnxNodeView::Int(std::string_view name, int64_t otherwise) const {
  const OnnxAttribute* attribute = Find(name, Kind::kInt);
  return attribute != nullptr ? attribute->i : otherwise;
}

double OnnxNodeView::Float(std::string_view name, double otherwise) const {
  const OnnxAttribute* attribute = Find(name, Kind::kFloat);
  return attribute != nullptr ? attribute->f : otherwise;
}

std::string OnnxNodeView::String(std::string_view name, std::string_view otherwise) const {
  const OnnxAttribute* attribute = Find(name, Kind::kString);
  return attribute != nullptr ? attribute->s : std::string(otherwise);
}

std::vector<int64_t> OnnxNodeView::Ints(std::string_view name, std::vector<int64_t> otherwise) const {
  const OnnxAttribute* attribute = Find(name, Kind::kInts);
  return attribute != nullptr ? attribute->ints : std::move(otherwise);
}

const OnnxGraph& OnnxNodeView::Body(std::string_view name) const {
  const OnnxAttribute* attribute = Find(name, Kind::kGraph);
  if (attribute == nullptr) RefuseNode(fmt::format("the attribute {} is missing", name));
  return *attribute->graph;
}

int64_t OnnxNodeView::Axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) RefuseNode(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> OnnxNodeView::Axes(std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) axis = Axis(axis, rank);
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) RefuseNode(fmt::format("axis {} is named twice", *twice));
  return axes;
}

ExprPtr OnnxNodeView::Slice(const ExprPtr& expr, int64_t axis, int64_t begin, int64_t end, int64_t step) const {
  using Ints = std::vector<int64_t>;
  return Call("strided_slice", {expr},
              {{"begin", Ints{begin}}, {"end", Ints{end}}, {"strides", Ints{step}}, {"axes", Ints{axis}}});
}

ExprPtr OnnxNodeView::Reshape(const ExprPtr& expr, const Shape& shape) const {
  const Shape& given = builder_.ShapeOf(expr);
  if (given == shape) return expr;
  // In newshape, a 0 would mean the present dimension.
  if (ElementCount(given) == 0 && std::count(shape.begin(), shape.end(), 0) > 0) {
    return relay::MakeConstant(Tensor(builder_.DTypeOf(expr), shape));
  }
  return Call("reshape", {expr}, {{"newshape", shape}});
}

}  // namespace hone
