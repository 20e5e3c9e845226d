#include "compiler/frontend/onnx/model/topological_order.h"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/frontend/onnx/node_error.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kGraphInput = -1;

// The producer of each value: a node's index, or kGraphInput for inputs and initializers.
using Producers = std::unordered_map<std::string, int>;

Producers FindProducers(const OnnxGraph& graph) {
  Producers producers;
  for (const auto& [name, tensor] : graph.initializers) producers.emplace(name, kGraphInput);
  for (const OnnxInput& input : graph.inputs) producers.emplace(input.name, kGraphInput);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) continue;
      if (!producers.emplace(output, static_cast<int>(i)).second) {
        RefuseNode(graph.nodes[i], fmt::format("its output \"{}\" is made elsewhere too", output));
      }
    }
  }
  return producers;
}

struct Edges {
  std::vector<std::vector<int>> consumers;
  std::vector<int> waiting_for;  // number of inputs without a value so far
};

using IsGiven = std::function<bool(const std::string&)>;

Edges FindEdges(const OnnxGraph& graph, const Producers& producers, const IsGiven& is_given) {
  Edges edges{std::vector<std::vector<int>>(graph.nodes.size()), std::vector<int>(graph.nodes.size(), 0)};
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : ReadBy(graph.nodes[i])) {
      const auto producer = producers.find(input);
      if (producer == producers.end() && is_given != nullptr && is_given(input)) continue;
      if (producer == producers.end()) RefuseNode(graph.nodes[i], fmt::format("nothing makes its input \"{}\"", input));
      if (producer->second == kGraphInput) continue;
      Nth(edges.consumers, producer->second).push_back(static_cast<int>(i));
      ++edges.waiting_for[i];
    }
  }
  return edges;
}

// The names that the graph reads and does not make.
std::vector<std::string> TakenFromAround(const OnnxGraph& graph) {
  std::unordered_set<std::string> made;
  for (const auto& [name, tensor] : graph.initializers) made.insert(name);
  for (const OnnxInput& input : graph.inputs) made.insert(input.name);
  for (const OnnxNode& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::vector<std::string> taken;
  const auto take = [&](const std::string& name) {
    if (!name.empty() && made.insert(name).second) taken.push_back(name);
  };
  for (const OnnxNode& node : graph.nodes) {
    for (const std::string& name : ReadBy(node)) take(name);
  }
  for (const std::string& name : graph.outputs) take(name);
  return taken;
}

}  // namespace

std::vector<std::string> ReadBy(const OnnxNode& node) {
  std::vector<std::string> names;
  for (const std::string& input : node.inputs) {
    if (!input.empty()) names.push_back(input);
  }
  for (const auto& [name, attribute] : node.attributes) {
    if (attribute.graph == nullptr) continue;
    for (std::string& taken : TakenFromAround(*attribute.graph)) names.push_back(std::move(taken));
  }
  return names;
}

std::vector<int> TopologicalOrder(const OnnxGraph& graph, const IsGiven& is_given) {
  Edges edges = FindEdges(graph, FindProducers(graph), is_given);
  // Taking the lowest index first keeps the file's order if that is valid.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (edges.waiting_for[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int consumer : Nth(edges.consumers, node)) {
      if (--Nth(edges.waiting_for, consumer) == 0) ready.push(consumer);
    }
  }
  for (size_t i = 0; order.size() < graph.nodes.size() && i < graph.nodes.size(); ++i) {
    if (edges.waiting_for[i] > 0) RefuseNode(graph.nodes[i], "it waits for its own output: the graph has a cycle");
  }
  return order;
}

}  // namespace hone
