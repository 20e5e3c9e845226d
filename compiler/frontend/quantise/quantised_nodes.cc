#include "compiler/frontend/quantise/quantised_nodes.h"

#include <algorithm>

#include "compiler/quantise/quantise_weight.h"

namespace hone {
namespace {

// The axes of a weight's outputs and inputs.
struct WeightAxes {
  int64_t output = 0, input = 1;
};

WeightAxes WeightAxesOf(const onnx::NodeProto& node) {
  if (node.op_type() == "Conv") return {0, 1};
  const bool rows = node.op_type() == "Gemm" && IntAttribute(node, "transB", 0) != 0;
  return rows ? WeightAxes{0, 1} : WeightAxes{1, 0};
}

// One value per output; empty if there is no bias of that form.
std::vector<double> BiasOf(const onnx::NodeProto& node, const OnnxWiring& wiring, int64_t outputs) {
  const onnx::TensorProto* proto = wiring.WeightOf(OnnxInputName(node, 2));
  const Tensor bias = proto == nullptr ? Tensor() : FloatValues(*proto);
  if (!bias.defined() || bias.elements() != outputs || bias.shape().back() != outputs) return {};
  std::vector<double> values(static_cast<size_t>(outputs));
  for (size_t i = 0; i < values.size(); ++i) values[i] = bias.At(static_cast<int64_t>(i));
  return values;
}

Tensor FloatVector(const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace

QuantisedNodes::QuantisedNodes(const onnx::GraphProto& from, const QuantisedValues& values, onnx::GraphProto& into)
    : values_(values), into_(into), wiring_(from) {
  for (const auto& node : from.node()) {
    taken_.insert(node.name());
    taken_.insert(node.output().begin(), node.output().end());
    taken_.insert(node.input().begin(), node.input().end());
  }
  for (const auto& input : from.input()) taken_.insert(input.name());
  for (const auto& weight : from.initializer()) taken_.insert(weight.name());
}

std::string QuantisedNodes::NewName(const std::string& hint) {
  std::string name = hint;
  while (!taken_.insert(name).second) name += "_";
  return name;
}

onnx::NodeProto& QuantisedNodes::AddNode(const std::string& op, const std::vector<std::string>& inputs,
                                         const std::string& output) {
  onnx::NodeProto& node = *into_.add_node();
  node.set_op_type(op);
  node.set_name(NewName(output + "_" + op));
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

std::string QuantisedNodes::AddScalar(const std::string& name, const Tensor& value) {
  std::string taken = NewName(name);
  AddWeight(into_, taken, value);
  return taken;
}

std::string QuantisedNodes::AddPair(const std::string& value, const std::string& source) {
  const ByteScale& by = values_.scales.at(value);
  const std::string scale = AddScalar(source + "_scale", Tensor::Scalar(by.scale));
  Tensor zero(DType::kUInt8, {});
  zero.Set(0, by.zero_point);
  const std::string zero_point = AddScalar(source + "_zero_point", zero);
  const std::string bytes = NewName(source + "_quantized"), real = NewName(source + "_dequantized");
  AddNode("QuantizeLinear", {source, scale, zero_point}, bytes);
  AddNode("DequantizeLinear", {bytes, scale, zero_point}, real);
  return real;
}

std::string QuantisedNodes::AddDequantised(const std::string& name, const Tensor& integers,
                                           const std::vector<float>& scales, int64_t axis) {
  const std::string whole = AddScalar(name + "_quantized", integers),
                    scale = AddScalar(name + "_scale", FloatVector(scales));
  const Tensor zeros(integers.dtype(), {static_cast<int64_t>(scales.size())});
  const std::string zero_point = AddScalar(name + "_zero_point", zeros);
  const std::string real = NewName(name + "_dequantized");
  onnx::NodeProto& node = AddNode("DequantizeLinear", {whole, scale, zero_point}, real);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("axis");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(axis);
  return real;
}

void QuantisedNodes::AddLayer(const QuantisableLayer& layer, const onnx::NodeProto& node, const std::string& input,
                              const std::string& output) {
  const Tensor weight = FloatValues(*wiring_.WeightOf(node.input(1)));
  const WeightAxes axes = WeightAxesOf(node);
  const int64_t outputs = weight.shape().at(static_cast<size_t>(axes.output));
  const double scale = values_.scales.at(layer.input).scale;
  std::vector<double> bias = BiasOf(node, wiring_, outputs);
  const bool has_other_bias = bias.empty() && !OnnxInputName(node, 2).empty();
  const QuantisedWeight quantised = QuantiseWeight(weight, axes.output, LeastScalesFor(bias, scale));
  const auto means = values_.means.find(layer.input);
  if (means != values_.means.end() && node.op_type() != "MatMul" && !has_other_bias) {
    const std::vector<double> shift = MeanShift(weight, quantised, axes.output, axes.input, means->second);
    bias.resize(shift.size(), 0.0);
    for (size_t c = 0; c < shift.size(); ++c) bias[c] -= shift[c];
  }
  std::vector<std::string> inputs{
      input, AddDequantised(output + "_weight", quantised.integers, quantised.scales, axes.output)};
  if (!bias.empty()) {
    std::vector<float> scales = quantised.scales;
    for (float& each : scales) each *= static_cast<float>(scale);
    inputs.push_back(AddDequantised(output + "_bias", QuantiseBias(bias, scale, quantised.scales), scales, 0));
  } else if (has_other_bias) {
    inputs.push_back(node.input(2));
  }
  onnx::NodeProto& added = *into_.add_node();
  added = node;
  added.clear_input();
  for (const std::string& each : inputs) added.add_input(each);
  added.set_output(0, output);
}

}  // namespace hone
