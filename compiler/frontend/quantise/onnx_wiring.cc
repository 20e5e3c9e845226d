#include "compiler/frontend/quantise/onnx_wiring.h"

#include <cmath>

#include "compiler/frontend/onnx/file/tensor_proto.h"
#include "core/error.h"

namespace hone {

OnnxWiring::OnnxWiring(const onnx::GraphProto& graph) {
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output()) makers_.emplace(output, &node);
    for (const std::string& input : node.input()) {
      if (!input.empty()) readers_[input].push_back(&node);
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) KeepReadsOf(attribute.g());
    }
  }
  for (const auto& weight : graph.initializer()) weights_.emplace(weight.name(), &weight);
  for (const auto& output : graph.output()) kept_.insert(output.name());
}

void OnnxWiring::KeepReadsOf(const onnx::GraphProto& body) {
  for (const auto& node : body.node()) {
    kept_.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) KeepReadsOf(attribute.g());
    }
  }
  for (const auto& output : body.output()) kept_.insert(output.name());
}

const onnx::NodeProto* OnnxWiring::MakerOf(const std::string& value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() ? nullptr : found->second;
}

const std::vector<const onnx::NodeProto*>& OnnxWiring::ReadersOf(const std::string& value) const {
  static const std::vector<const onnx::NodeProto*> none;
  const auto found = readers_.find(value);
  return found == readers_.end() ? none : found->second;
}

const onnx::TensorProto* OnnxWiring::WeightOf(const std::string& value) const {
  const auto found = weights_.find(value);
  return found == weights_.end() ? nullptr : found->second;
}

std::string OnnxInputName(const onnx::NodeProto& node, int i) { return i < node.input_size() ? node.input(i) : ""; }

double NodeFloat(const onnx::NodeProto& node, const std::string& name, double otherwise) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return static_cast<double>(attribute.f());
  }
  return otherwise;
}

int64_t NodeInt(const onnx::NodeProto& node, const std::string& name, int64_t otherwise) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return otherwise;
}

Tensor FloatValues(const onnx::TensorProto& proto) {
  if (proto.data_type() != onnx::TensorProto::FLOAT) return {};
  onnx::TensorProto taken = proto;
  std::vector<std::string> notices;
  Tensor values = TakeTensor(taken, proto.name(), nullptr, notices);
  for (int64_t i = 0; i < values.elements(); ++i) {
    if (!std::isfinite(values.At(i))) return {};
  }
  return values;
}

void AddWeight(onnx::GraphProto& graph, const std::string& name, const Tensor& value) {
  onnx::TensorProto& added = *graph.add_initializer();
  added.set_name(name);
  switch (value.dtype()) {
    case DType::kFloat32:
      added.set_data_type(onnx::TensorProto::FLOAT);
      break;
    case DType::kInt32:
      added.set_data_type(onnx::TensorProto::INT32);
      break;
    case DType::kInt8:
      added.set_data_type(onnx::TensorProto::INT8);
      break;
    case DType::kUInt8:
      added.set_data_type(onnx::TensorProto::UINT8);
      break;
    default:
      throw Error(ExitCode::kBug, "a quantised model has no such initializers");
  }
  for (const int64_t dim : value.shape()) added.add_dims(dim);
  added.set_raw_data(value.raw(), static_cast<size_t>(value.size_bytes()));
}

}  // namespace hone
