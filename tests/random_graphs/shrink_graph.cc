#include "tests/random_graphs/shrink_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/random_graphs/onnx_graph_bytes.h"

namespace hone {
namespace {

using Candidates = std::vector<OnnxGraph>;

// The graph without nodes, inputs and initializers that no output needs.
OnnxGraph WithoutDead(OnnxGraph graph) {
  std::set<std::string> needed(graph.outputs.begin(), graph.outputs.end());
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto& made = node->outputs;
    if (std::none_of(made.begin(), made.end(), [&](const auto& name) { return needed.count(name) > 0; })) continue;
    needed.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(*node);
  }
  graph.nodes.assign(kept.rbegin(), kept.rend());
  std::erase_if(graph.inputs, [&](const OnnxInput& input) { return needed.count(input.name) == 0; });
  std::erase_if(graph.initializers, [&](const auto& each) { return needed.count(each.first) == 0; });
  return graph;
}

Candidates FewerOutputs(const OnnxGraph& graph) {
  Candidates candidates;
  for (size_t i = 0; graph.outputs.size() > 1 && i < graph.outputs.size(); ++i) {
    candidates.push_back(graph);
    auto& outputs = candidates.back().outputs;
    outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return candidates;
}

// An output is replaced by the inputs of its node.
Candidates EarlierOutputs(const OnnxGraph& graph) {
  Candidates candidates;
  for (const OnnxNode& node : graph.nodes) {
    const auto last = std::find(graph.outputs.begin(), graph.outputs.end(), node.outputs[0]);
    if (last == graph.outputs.end()) continue;
    for (const std::string& input : node.inputs) {
      const bool made = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const OnnxNode& each) { return each.outputs[0] == input; });
      if (!made || std::count(graph.outputs.begin(), graph.outputs.end(), input) > 0) continue;
      candidates.push_back(graph);
      candidates.back().outputs[static_cast<size_t>(last - graph.outputs.begin())] = input;
    }
  }
  return candidates;
}

void Rename(OnnxGraph& graph, const std::string& from, const std::string& to) {
  for (OnnxNode& node : graph.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
}

std::map<std::string, Shape> KnownShapes(const OnnxGraph& graph) {
  std::vector<std::string> names;
  for (const OnnxNode& node : graph.nodes) names.insert(names.end(), node.outputs.begin(), node.outputs.end());
  for (const OnnxInput& input : graph.inputs) names.push_back(input.name);
  try {
    return ShapesOf(graph, names);
  } catch (const Error&) {
    return {};
  }
}

OnnxInput InputOf(const std::string& name, const Shape& shape) {
  OnnxInput input;
  input.name = name;
  input.has_shape = true;
  for (const int64_t dim : shape) input.dims.push_back({dim, ""});
  return input;
}

// A node's results become inputs, or one of its inputs takes the place of a result of the same shape.
Candidates WithoutNode(const OnnxGraph& graph) {
  Candidates candidates;
  const auto shapes = KnownShapes(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode node = graph.nodes[i];
    OnnxGraph without = graph;
    without.nodes.erase(without.nodes.begin() + static_cast<std::ptrdiff_t>(i));
    const auto result = shapes.find(node.outputs[0]);
    if (result == shapes.end()) continue;
    for (const std::string& input : node.inputs) {
      const auto shape = shapes.find(input);
      if (shape == shapes.end() || shape->second != result->second) continue;
      candidates.push_back(without);
      Rename(candidates.back(), node.outputs[0], input);
    }
    for (const std::string& output : node.outputs) without.inputs.push_back(InputOf(output, shapes.at(output)));
    candidates.push_back(without);
  }
  return candidates;
}

// Several inputs of one shape become one.
Candidates FewerInputs(const OnnxGraph& graph) {
  Candidates candidates;
  for (const OnnxInput& a : graph.inputs) {
    for (const OnnxInput& b : graph.inputs) {
      const bool same = std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                                   [](const OnnxDim& x, const OnnxDim& y) { return x.value == y.value; });
      if (a.name >= b.name || !same) continue;
      candidates.push_back(graph);
      Rename(candidates.back(), b.name, a.name);
    }
  }
  return candidates;
}

Candidates FewerNodeInputs(const OnnxGraph& graph) {
  Candidates candidates;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (size_t k = 0; graph.nodes[i].inputs.size() > 1 && k < graph.nodes[i].inputs.size(); ++k) {
      candidates.push_back(graph);
      auto& inputs = candidates.back().nodes[i].inputs;
      inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return candidates;
}

Candidates SimplerAttributes(const OnnxGraph& graph) {
  Candidates candidates;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& attributes = graph.nodes[i].attributes;
    for (size_t k = 0; k < attributes.size(); ++k) {
      candidates.push_back(graph);
      auto& fewer = candidates.back().nodes[i].attributes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      for (size_t at = 0; at < attributes[k].second.ints.size(); ++at) {
        const int64_t value = attributes[k].second.ints[at];
        if (value <= (attributes[k].first == "pads" ? 0 : 1)) continue;
        candidates.push_back(graph);
        candidates.back().nodes[i].attributes[k].second.ints[at] = value - 1;
      }
    }
  }
  return candidates;
}

// Keeps the first elements along each axis.
Tensor Cropped(const Tensor& value, const Shape& shape) {
  Tensor cropped(value.dtype(), shape);
  for (int64_t i = 0; i < cropped.elements(); ++i) {
    int64_t left = i, from = 0, step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += left % shape[axis] * step;
      left /= shape[axis];
      step *= value.shape()[axis];
    }
    cropped.Set(i, value.At(from));
  }
  return cropped;
}

// Changes every axis of length `from`, and every such number in constants and attributes, to `to`. With `which`, only
// the inputs' axis of that index; -1: all axes.
OnnxGraph WithLength(OnnxGraph graph, int64_t from, int64_t to, int64_t which) {
  for (OnnxInput& input : graph.inputs) {
    for (size_t axis = 0; axis < input.dims.size(); ++axis) {
      if (input.dims[axis].value == from && (which < 0 || which == static_cast<int64_t>(axis))) {
        input.dims[axis].value = to;
      }
    }
  }
  for (auto& [name, value] : graph.initializers) {
    if (value.dtype() == DType::kInt64) {
      value = value.Clone();
      for (int64_t i = 0; i < value.elements(); ++i) {
        if (which < 0 && value.At(i) == static_cast<double>(from)) value.Set(i, static_cast<double>(to));
      }
      continue;
    }
    Shape shape = value.shape();
    if (which < 0) std::replace(shape.begin(), shape.end(), from, to);
    value = Cropped(value, shape);
  }
  for (OnnxNode& node : graph.nodes) {
    for (auto& [name, attribute] : node.attributes) {
      if (which < 0 && name == "group" && attribute.i == from) attribute.i = to;
    }
  }
  return graph;
}

Candidates ShorterAxes(const OnnxGraph& graph) {
  std::set<int64_t> lengths;
  for (const OnnxInput& input : graph.inputs) {
    for (const OnnxDim& dim : input.dims) lengths.insert(dim.value);
  }
  for (const auto& [name, value] : graph.initializers) lengths.insert(value.shape().begin(), value.shape().end());
  Candidates candidates;
  for (const int64_t length : lengths) {
    std::set<int64_t> shorter{1, 2, length / 2, length - 1};
    for (const int64_t to : shorter) {
      if (to < 1 || to >= length) continue;
      for (int64_t which = -1; which < 5; ++which) candidates.push_back(WithLength(graph, length, to, which));
    }
  }
  return candidates;
}

bool RepeatsOperand(const OnnxGraph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const OnnxNode& node) {
    return std::set<std::string>(node.inputs.begin(), node.inputs.end()).size() < node.inputs.size();
  });
}

// Whether the step changes the graph and keeps the failure's cause. A step that makes a node read a value twice is
// refused unless the graph did so before, because such nodes fail for other reasons.
bool IsStep(const OnnxGraph& from, const OnnxGraph& to) {
  return OnnxBytes(to) != OnnxBytes(from) && (RepeatsOperand(from) || !RepeatsOperand(to));
}

// Takes the first candidate that fails, repeatedly until none fails. Returns whether any did.
bool Better(OnnxGraph& graph, Candidates (*propose)(const OnnxGraph&),
            const std::function<bool(const OnnxGraph&)>& fails) {
  bool any = false;
  for (bool found = true; found;) {
    found = false;
    for (const OnnxGraph& proposed : propose(graph)) {
      const OnnxGraph candidate = WithoutDead(proposed);
      if (!IsStep(graph, candidate) || !fails(candidate)) continue;
      graph = candidate;
      any = found = true;
      break;
    }
  }
  return any;
}

}  // namespace

OnnxGraph ShrinkGraph(OnnxGraph graph, const std::function<bool(const OnnxGraph&)>& fails) {
  if (const OnnxGraph alive = WithoutDead(graph); fails(alive)) graph = alive;
  for (bool any = true; any;) {
    any = false;
    for (const auto propose :
         {FewerOutputs, EarlierOutputs, WithoutNode, FewerInputs, FewerNodeInputs, ShorterAxes, SimplerAttributes}) {
      any = Better(graph, propose, fails) || any;
    }
  }
  return graph;
}

}  // namespace hone
