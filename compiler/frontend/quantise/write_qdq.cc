#include "compiler/frontend/quantise/write_qdq.h"

#include "compiler/frontend/quantise/quantised_nodes.h"
#include "core/error.h"

namespace hone {
namespace {

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
