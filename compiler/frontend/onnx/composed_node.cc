#include "compiler/frontend/onnx/composed_node.h"

#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kComposedOpset = 21;

// Moves the axis `from` of the tensor to the place `to`.
ExprPtr WithAxisMoved(const OnnxNodeView& view, const ExprPtr& expr, int64_t from, int64_t to) {
  const auto rank = static_cast<int64_t>(view.builder().ShapeOf(expr).size());
  if (rank < 3) RefuseNode(fmt::format("its data is {}; it must be N x ... x C", ShapeText(view.InputShape(0))));
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  const int64_t begin = from < 0 ? from + rank : from, end = to < 0 ? to + rank : to;
  axes.erase(axes.begin() + begin);
  axes.insert(axes.begin() + end, begin);
  return view.Call("transpose", {expr}, {{"axes", axes}});
}

}  // namespace

OnnxAttribute NodeInt(int64_t value) {
  OnnxAttribute attribute;
  attribute.kind = OnnxAttribute::Kind::kInt;
  attribute.i = value;
  return attribute;
}

OnnxAttribute NodeFloat(double value) {
  OnnxAttribute attribute;
  attribute.kind = OnnxAttribute::Kind::kFloat;
  attribute.f = value;
  return attribute;
}

OnnxAttribute NodeInts(std::vector<int64_t> values) {
  OnnxAttribute attribute;
  attribute.kind = OnnxAttribute::Kind::kInts;
  attribute.ints = std::move(values);
  return attribute;
}

NodeAttributes AttributesOf(const OnnxNodeView& view, const std::vector<std::string_view>& names) {
  NodeAttributes attributes;
  for (const std::string_view name : names) {
    if (const OnnxAttribute* attribute = view.Find(name)) attributes.emplace_back(name, *attribute);
  }
  return attributes;
}

std::vector<ExprPtr> ComposedResults(const OnnxNodeView& view, std::string_view op_type, std::vector<ExprPtr> inputs,
                                     NodeAttributes attributes, size_t outputs, std::string_view domain) {
  OnnxNode node;
  node.name = view.node().name;
  node.op_type = op_type;
  node.domain = domain;
  node.outputs.assign(outputs, "y");
  node.attributes = std::move(attributes);
  const OnnxOperator* row = FindOnnxOperator(domain, op_type);
  if (row == nullptr) RefuseNode(fmt::format("it is composed of {}, which is not supported", op_type));
  return row->convert(OnnxNodeView(node, kComposedOpset, std::move(inputs), view.builder()));
}

ExprPtr Composed(const OnnxNodeView& view, std::string_view op_type, std::vector<ExprPtr> inputs,
                 NodeAttributes attributes, std::string_view domain) {
  return ComposedResults(view, op_type, std::move(inputs), std::move(attributes), 1, domain).front();
}

ExprPtr ComposedChannelsLast(const OnnxNodeView& view, std::string_view op_type, std::vector<ExprPtr> inputs,
                             NodeAttributes attributes, std::string_view domain) {
  inputs[0] = WithAxisMoved(view, inputs[0], -1, 1);
  return WithAxisMoved(view, Composed(view, op_type, std::move(inputs), std::move(attributes), domain), 1, -1);
}

}  // namespace hone
