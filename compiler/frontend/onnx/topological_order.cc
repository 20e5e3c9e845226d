#include "compiler/frontend/onnx/topological_order.h"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <string>
#include <unordered_map>

#include "core/error.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int kGraphInput = -1;

[[noreturn]] void Refuse(const OnnxNode& node, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("node \"{}\" ({}): {}", node.name, node.op_type, why));
}

// Who makes each value: a node's index, or kGraphInput for inputs and initializers.
using Producers = std::unordered_map<std::string, int>;

Producers FindProducers(const OnnxGraph& graph) {
  Producers producers;
  for (const auto& [name, tensor] : graph.initializers) producers.emplace(name, kGraphInput);
  for (const OnnxInput& input : graph.inputs) producers.emplace(input.name, kGraphInput);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) continue;
      if (!producers.emplace(output, static_cast<int>(i)).second) {
        Refuse(graph.nodes[i], fmt::format("its output \"{}\" is made elsewhere too", output));
      }
    }
  }
  return producers;
}

struct Edges {
  std::vector<std::vector<int>> consumers;
  std::vector<int> waiting_for;  // inputs that are not made yet
};

Edges FindEdges(const OnnxGraph& graph, const Producers& producers) {
  Edges edges{std::vector<std::vector<int>>(graph.nodes.size()), std::vector<int>(graph.nodes.size(), 0)};
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : graph.nodes[i].inputs) {
      if (input.empty()) continue;
      const auto producer = producers.find(input);
      if (producer == producers.end()) Refuse(graph.nodes[i], fmt::format("nothing makes its input \"{}\"", input));
      if (producer->second == kGraphInput) continue;
      Nth(edges.consumers, producer->second).push_back(static_cast<int>(i));
      ++edges.waiting_for[i];
    }
  }
  return edges;
}

}  // namespace

std::vector<int> TopologicalOrder(const OnnxGraph& graph) {
  Edges edges = FindEdges(graph, FindProducers(graph));
  // The lowest index first keeps the file's order where it is valid.
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
    if (edges.waiting_for[i] > 0) Refuse(graph.nodes[i], "it waits for its own output: the graph has a cycle");
  }
  return order;
}

}  // namespace hone
