#include "tests/random_graphs/describe_graph.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace hone {
namespace {

using Kind = OnnxAttribute::Kind;

std::string Joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string ValueText(const OnnxAttribute& attribute) {
  if (attribute.kind == Kind::kInt) return std::to_string(attribute.i);
  if (attribute.kind == Kind::kFloat) return fmt::format("{}", attribute.f);
  if (attribute.kind == Kind::kString) return attribute.s;
  std::string text;
  for (const int64_t each : attribute.ints) text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
}

std::map<std::string, std::string> ShapeTexts(const OnnxGraph& graph) {
  std::map<std::string, std::string> texts;
  for (const OnnxInput& input : graph.inputs) {
    Shape shape;
    for (const OnnxDim& dim : input.dims) shape.push_back(dim.value);
    texts[input.name] = fmt::format("{}[{}]", input.name, fmt::join(shape, "x"));
  }
  for (const auto& [name, value] : graph.initializers) {
    texts[name] = fmt::format("{}[{}]", name, ShapeText(value.shape()));
    if (value.dtype() != DType::kInt64) continue;
    std::vector<int64_t> values(value.data<int64_t>(), value.data<int64_t>() + value.elements());
    texts[name] = fmt::format("{{{}}}", fmt::join(values, ","));
  }
  return texts;
}

}  // namespace

std::string OperatorsOf(const OnnxGraph& graph) {
  std::multiset<std::string> kinds;
  for (const OnnxNode& node : graph.nodes) kinds.insert(node.op_type);
  return Joined({kinds.begin(), kinds.end()}, " ");
}

std::string DescribeGraph(const OnnxGraph& graph) {
  const std::map<std::string, std::string> shapes = ShapeTexts(graph);
  std::string text;
  for (const OnnxNode& node : graph.nodes) {
    std::vector<std::string> words;
    for (const std::string& input : node.inputs) words.push_back(shapes.count(input) > 0 ? shapes.at(input) : input);
    for (const auto& [name, attribute] : node.attributes) words.push_back(name + "=" + ValueText(attribute));
    text += fmt::format("{} = {}({}); ", Joined(node.outputs, ", "), node.op_type, Joined(words, ", "));
  }
  return text + "return " + Joined(graph.outputs, ", ");
}

}  // namespace hone
