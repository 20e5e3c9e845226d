#include "compiler/frontend/onnx/model/sequences.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A number is appended to the name of a sequence for each of its elements.
std::string ElementName(const std::string& sequence, size_t i) { return fmt::format("{}.{}", sequence, i); }

class SequenceInputs {
 public:
  SequenceInputs(OnnxGraph& graph, const std::map<std::string, Shape>& shapes, std::vector<std::string>& notices)
      : graph_(graph), shapes_(shapes), notices_(notices) {}

  void WriteOut() {
    std::vector<OnnxInput> inputs;
    for (OnnxInput& input : std::exchange(graph_.inputs, {})) {
      if (input.is_sequence) {
        AddElements(input);
      } else if (input.is_optional && !shapes_.contains(input.name)) {
        Make("Optional", input.name, {});
        notices_.push_back(
            fmt::format("input \"{}\" is optional and left out; --shape {}=... gives it", input.name, input.name));
      } else {
        graph_.inputs.push_back(std::move(input));
      }
    }
    graph_.nodes.insert(graph_.nodes.begin(), made_.begin(), made_.end());
  }

 private:
  void AddElements(const OnnxInput& sequence) {
    const std::vector<std::string> names = ElementNames(sequence.name);
    const auto type = graph_.element_types.find(sequence.name);
    for (const std::string& name : names) {
      OnnxInput element = sequence;
      element.name = name;
      element.is_sequence = element.is_optional = false;
      // Elements may differ in a dimension that the type names once.
      for (OnnxDim& dim : element.dims) dim.symbol.clear();
      graph_.inputs.push_back(std::move(element));
      if (type != graph_.element_types.end()) graph_.element_types[name] = type->second;
    }
    if (names.empty()) {
      notices_.push_back(fmt::format("input \"{}\" is a sequence and has no elements; --shape {}=... gives it one",
                                     sequence.name, ElementName(sequence.name, 0)));
    }
    Make(sequence.is_optional && names.empty() ? "Optional" : "SequenceConstruct", sequence.name, names);
  }

  // The elements that the shapes name, which are numbered from 0.
  std::vector<std::string> ElementNames(const std::string& sequence) const {
    std::vector<std::string> names;
    while (shapes_.contains(ElementName(sequence, names.size()))) names.push_back(ElementName(sequence, names.size()));
    if (!shapes_.contains(sequence)) return names;
    throw Error(ExitCode::kUsage, fmt::format("--shape {}: the input is a sequence; give the shape of each element, "
                                              "as --shape {}=... and so on",
                                              sequence, ElementName(sequence, 0)));
  }

  void Make(const std::string& op_type, const std::string& output, std::vector<std::string> inputs) {
    OnnxNode node;
    node.name = output;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    made_.push_back(std::move(node));
  }

  OnnxGraph& graph_;
  const std::map<std::string, Shape>& shapes_;
  std::vector<std::string>& notices_;
  std::vector<OnnxNode> made_;
};

}  // namespace

void WriteOutSequenceInputs(OnnxGraph& graph, const std::map<std::string, Shape>& shapes,
                            std::vector<std::string>& notices) {
  SequenceInputs(graph, shapes, notices).WriteOut();
}

const ExprPtr& AbsentValue() {
  static const ExprPtr absent = [] {
    const auto tuple = std::make_shared<relay::Tuple>(std::vector<ExprPtr>{});
    tuple->type = relay::TupleType({});
    return tuple;
  }();
  return absent;
}

const std::vector<ExprPtr>& ElementsOf(const OnnxNodeView& view, int input) {
  const ExprPtr& value = view.Input(input);
  if (value == AbsentValue()) RefuseNode(fmt::format("input {} is an optional value that is absent", input));
  const relay::Tuple* tuple = relay::AsTuple(value);
  if (tuple == nullptr) RefuseNode(fmt::format("input {} is a tensor; it must be a sequence", input));
  return tuple->fields;
}

void RequireTensors(const std::vector<ExprPtr>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == AbsentValue()) RefuseNode(fmt::format("input {} is an optional value that is absent", i));
    if (relay::AsTuple(inputs[i]) == nullptr) continue;
    RefuseNode(fmt::format("input {} is a sequence; SequenceAt or ConcatFromSequence makes a tensor of it", i));
  }
}

void TellMaps(const OnnxGraph& graph, std::vector<std::string>& notices) {
  for (const OnnxNode& node : graph.nodes) {
    if (node.op_type != "ZipMap" || node.outputs.empty()) continue;
    notices.push_back(fmt::format(
        "\"{}\" is a matrix with a column for each label of \"{}\", in their order; exported with zipmap=False, the "
        "model says so itself",
        node.outputs[0], node.name));
  }
}

void AddOutput(const std::string& name, const ExprPtr& value, std::vector<std::string>& names,
               std::vector<ExprPtr>& outputs) {
  const relay::Tuple* sequence = relay::AsTuple(value);
  if (sequence == nullptr) {
    names.push_back(name);
    outputs.push_back(value);
    return;
  }
  if (sequence->fields.empty()) {
    throw Error(ExitCode::kBadData, fmt::format("the output \"{}\" is {}", name,
                                                value == AbsentValue() ? "an optional value that is absent"
                                                                       : "a sequence without elements"));
  }
  for (size_t i = 0; i < sequence->fields.size(); ++i) {
    names.push_back(ElementName(name, i));
    outputs.push_back(sequence->fields[i]);
  }
}

}  // namespace hone
