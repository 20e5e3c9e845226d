#include "compiler/frontend/quantise/write_qdq.h"

#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/onnx_wiring.h"
#include "compiler/quantise/quantise_weight.h"
#include "core/error.h"

namespace hone {
namespace {

// Adds the nodes of quantised layers and values to an ONNX graph.
class QuantisedNodes {
 public:
  // Reads `from` and adds to `into`; borrows all arguments. Names in either graph are taken.
  QuantisedNodes(const onnx::GraphProto& from, const QuantisedValues& values, onnx::GraphProto& into);

  // Adds a pair for the value and returns the name of its result. `source` names the rounded value: the value itself,
  // or a copy of it.
  std::string AddPair(const std::string& value, const std::string& source);
  // Adds the layer's node with a quantised weight and bias; it reads `input` and makes `output`.
  void AddLayer(const QuantisableLayer& layer, const onnx::NodeProto& node, const std::string& input,
                const std::string& output);
  std::string NewName(const std::string& hint);
  const OnnxWiring& wiring() const { return wiring_; }

 private:
  std::string AddDequantised(const std::string& name, const Tensor& integers, const std::vector<float>& scales,
                             int64_t axis);
  onnx::NodeProto& AddNode(const std::string& op, const std::vector<std::string>& inputs, const std::string& output);
  std::string AddScalar(const std::string& name, const Tensor& value);

  const QuantisedValues& values_;
  onnx::GraphProto& into_;
  OnnxWiring wiring_;
  std::set<std::string> taken_;
};

// The axes of a weight's outputs and inputs.
struct WeightAxes {
  int64_t output = 0, input = 1;
};

WeightAxes WeightAxesOf(const onnx::NodeProto& node) {
  if (node.op_type() == "Conv") return {0, 1};
  const bool rows = node.op_type() == "Gemm" && NodeInt(node, "transB", 0) != 0;
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

using onnx::GraphProto;
using onnx::NodeProto;

std::map<std::string, const QuantisableLayer*> ByNode(const QuantisationPlan& plan) {
  std::map<std::string, const QuantisableLayer*> layers;
  for (const QuantisableLayer& layer : plan.layers) layers.emplace(layer.node, &layer);
  return layers;
}

// Copies the nodes in their order; a pair follows the node that makes its value.
class QdqGraph {
 public:
  QdqGraph(const GraphProto& from, const QuantisationPlan& plan, const QuantisedValues& values, GraphProto& into)
      : from_(from), plan_(plan), into_(into), nodes_(from, values, into), layers_(ByNode(plan)) {}

  void Write() {
    for (const auto& input : from_.input()) AddPair(input.name());
    for (const NodeProto& node : from_.node()) {
      const auto layer = layers_.find(node.name());
      if (layer != layers_.end() && layer->second->other.empty()) {
        nodes_.AddLayer(*layer->second, node, Read(node, layer->second->input), node.output(0));
      } else {
        AddCopy(node);
      }
      for (const std::string& output : node.output()) AddPair(output);
    }
  }

 private:
  void AddPair(const std::string& value) {
    if (plan_.values.count(value) > 0) rounded_[value] = nodes_.AddPair(value, value);
  }

  void AddCopy(const NodeProto& node) {
    NodeProto& copy = *into_.add_node();
    copy = node;
    for (int i = 0; i < node.input_size(); ++i) copy.set_input(i, Read(node, node.input(i)));
  }

  std::string Read(const NodeProto& node, const std::string& value) const {
    const auto rounded = rounded_.find(value);
    if (rounded == rounded_.end()) return value;
    const bool reads_bytes =
        plan_.values.at(value) || layers_.count(node.name()) > 0 || plan_.byte_nodes.count(node.name()) > 0;
    return reads_bytes ? rounded->second : value;
  }

  const GraphProto& from_;
  const QuantisationPlan& plan_;
  GraphProto& into_;
  QuantisedNodes nodes_;
  std::map<std::string, const QuantisableLayer*> layers_;
  std::map<std::string, std::string> rounded_;  // results of the values' pairs
};

void CollectReads(const GraphProto& graph, std::set<std::string>& read) {
  for (const auto& node : graph.node()) {
    read.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) CollectReads(attribute.g(), read);
    }
  }
  for (const auto& output : graph.output()) read.insert(output.name());
}

void DropUnread(GraphProto& graph) {
  std::set<std::string> read;
  CollectReads(graph, read);
  google::protobuf::RepeatedPtrField<onnx::TensorProto> kept;
  for (onnx::TensorProto& weight : *graph.mutable_initializer()) {
    if (read.count(weight.name()) > 0) kept.Add()->Swap(&weight);
  }
  graph.mutable_initializer()->Swap(&kept);
}

std::string Serialised(const onnx::ModelProto& model) {
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    throw Error(ExitCode::kBadData, "the quantised model does not fit in one ONNX file (2 GiB)");
  }
  return bytes;
}

void AddProduct(const NodeProto& node, const std::vector<std::string>& inputs, const std::string& output,
                GraphProto& into) {
  NodeProto& product = *into.add_node();
  product = node;
  for (size_t i = 0; i < inputs.size(); ++i) product.set_input(static_cast<int>(i), inputs[i]);
  product.set_output(0, output);
}

// Adds a quantised copy of the layer, with the activation behind it; returns the name of its result.
std::string AddLonely(const QuantisableLayer& layer, const NodeProto& node, const QuantisationPlan& plan,
                      QuantisedNodes& nodes, GraphProto& into) {
  std::string made = nodes.NewName(layer.output + "_alone");
  const std::string input = nodes.AddPair(layer.input, layer.input);
  if (layer.other.empty()) {
    nodes.AddLayer(layer, node, input, made);
  } else {
    AddProduct(node, {input, nodes.AddPair(layer.other, layer.other)}, made, into);
  }
  into.mutable_node(into.node_size() - 1)->set_name(nodes.NewName(node.name() + "_alone"));
  if (layer.output != node.output(0)) {
    NodeProto& activation = *into.add_node();
    activation = *nodes.wiring().MakerOf(layer.output);
    activation.set_name(nodes.NewName(activation.name() + "_alone"));
    activation.set_input(0, made);
    made = nodes.NewName(layer.output + "_alone");
    activation.set_output(0, made);
  }
  return plan.values.count(layer.output) > 0 ? nodes.AddPair(layer.output, made) : made;
}

}  // namespace

std::string WriteQdq(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values) {
  onnx::ModelProto written = model.proto();
  written.mutable_graph()->clear_node();
  QdqGraph(model.graph(), plan, values, *written.mutable_graph()).Write();
  DropUnread(*written.mutable_graph());
  return Serialised(written);
}

LonelyLayers WriteLonelyLayers(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values) {
  onnx::ModelProto written = model.proto();
  GraphProto& graph = *written.mutable_graph();
  QuantisedNodes nodes(model.graph(), values, graph);
  const auto layers = ByNode(plan);
  std::map<std::string, std::string> made;
  for (const NodeProto& node : model.graph().node()) {
    const auto layer = layers.find(node.name());
    if (layer != layers.end()) made[node.name()] = AddLonely(*layer->second, node, plan, nodes, graph);
  }
  LonelyLayers lonely;
  for (const QuantisableLayer& layer : plan.layers) lonely.outputs.push_back(made.at(layer.node));
  lonely.model = Serialised(written);
  return lonely;
}

}  // namespace hone
