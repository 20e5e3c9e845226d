#include "tests/random_graphs/onnx_graph_bytes.h"

#include <onnx/onnx-ml.pb.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"

namespace hone {
namespace {

constexpr int64_t kIrVersion = 8;

int32_t OnnxType(DType dtype) {
  using T = onnx::TensorProto;
  constexpr int32_t kTypes[] = {T::FLOAT, T::DOUBLE, T::INT32, T::INT64, T::INT8, T::UINT8, T::BOOL};
  return kTypes[static_cast<int>(dtype)];
}

void Write(onnx::TensorProto& proto, const std::string& name, const Tensor& value) {
  proto.set_name(name);
  proto.set_data_type(OnnxType(value.dtype()));
  for (const int64_t dim : value.shape()) proto.add_dims(dim);
  proto.set_raw_data(value.raw(), static_cast<size_t>(value.size_bytes()));
}

void Write(onnx::AttributeProto& proto, const OnnxAttribute& attribute) {
  using A = onnx::AttributeProto;
  using Kind = OnnxAttribute::Kind;
  constexpr A::AttributeType kTypes[] = {A::FLOAT, A::INT, A::STRING, A::TENSOR, A::FLOATS, A::INTS, A::STRINGS};
  proto.set_type(kTypes[static_cast<int>(attribute.kind)]);
  if (attribute.kind == Kind::kFloat) proto.set_f(static_cast<float>(attribute.f));
  if (attribute.kind == Kind::kInt) proto.set_i(attribute.i);
  if (attribute.kind == Kind::kString) proto.set_s(attribute.s);
  if (attribute.kind == Kind::kTensor) Write(*proto.mutable_t(), "", attribute.tensor);
  for (const double each : attribute.floats) proto.add_floats(static_cast<float>(each));
  for (const int64_t each : attribute.ints) proto.add_ints(each);
  for (const std::string& each : attribute.strings) proto.add_strings(each);
}

void Write(onnx::NodeProto& proto, const OnnxNode& node) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  proto.set_domain(node.domain);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const auto& [name, attribute] : node.attributes) {
    auto& added = *proto.add_attribute();
    added.set_name(name);
    Write(added, attribute);
  }
}

void Write(onnx::ValueInfoProto& proto, const OnnxInput& input) {
  proto.set_name(input.name);
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(OnnxType(input.dtype));
  if (!input.has_shape) return;
  type.mutable_shape();
  for (const OnnxDim& dim : input.dims) {
    auto& added = *type.mutable_shape()->add_dim();
    if (dim.value >= 0) added.set_dim_value(dim.value);
    if (!dim.symbol.empty()) added.set_dim_param(dim.symbol);
  }
}

OnnxAttribute Attribute(OnnxAttribute::Kind kind) {
  OnnxAttribute attribute;
  attribute.kind = kind;
  return attribute;
}

}  // namespace

std::string OnnxBytes(const OnnxGraph& graph) {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.add_opset_import()->set_version(graph.opset);
  onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name("random");
  for (const OnnxInput& input : graph.inputs) Write(*proto.add_input(), input);
  for (const auto& [name, value] : graph.initializers) Write(*proto.add_initializer(), name, value);
  for (const OnnxNode& node : graph.nodes) Write(*proto.add_node(), node);
  for (const std::string& output : graph.outputs) {
    auto& info = *proto.add_output();
    info.set_name(output);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  return model.SerializeAsString();
}

OnnxAttribute IntAttribute(int64_t value) {
  OnnxAttribute attribute = Attribute(OnnxAttribute::Kind::kInt);
  attribute.i = value;
  return attribute;
}

OnnxAttribute IntsAttribute(std::vector<int64_t> values) {
  OnnxAttribute attribute = Attribute(OnnxAttribute::Kind::kInts);
  attribute.ints = std::move(values);
  return attribute;
}

OnnxAttribute FloatAttribute(double value) {
  OnnxAttribute attribute = Attribute(OnnxAttribute::Kind::kFloat);
  attribute.f = value;
  return attribute;
}

OnnxAttribute TextAttribute(const std::string& value) {
  OnnxAttribute attribute = Attribute(OnnxAttribute::Kind::kString);
  attribute.s = value;
  return attribute;
}

OnnxAttribute TextsAttribute(std::vector<std::string> values) {
  OnnxAttribute attribute = Attribute(OnnxAttribute::Kind::kStrings);
  attribute.strings = std::move(values);
  return attribute;
}

std::map<std::string, Shape> ShapesOf(OnnxGraph graph, const std::vector<std::string>& names) {
  graph.outputs = names;
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(OnnxBytes(graph), "shapes").module);
  const relay::TypePtr type = module.main->body->type;
  std::map<std::string, Shape> shapes;
  if (type->kind == relay::TypeKind::kTensor) {
    shapes[names.at(0)] = type->shape;
  } else {
    for (size_t i = 0; i < names.size(); ++i) shapes[names[i]] = type->fields.at(i)->shape;
  }
  return shapes;
}

}  // namespace hone
