#include "cli/compare_nodes.h"

#include <fmt/format.h>

#include "compiler/relay/op.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "runtime/observed_run.h"

namespace hone {
namespace {

using NamedTensors = std::map<std::string, Tensor>;

// What each node gives, by its name; tuples have no value of their own.
NamedTensors ReferenceValues(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs) {
  NamedTensors values;
  RunReference(typed, inputs, [&](const relay::Call& call, const std::vector<Tensor>& results) {
    if (!call.name.empty() && results.size() == 1) values[call.name] = results[0];
  });
  return values;
}

// The node's value that a call's is, or end(): the buffer has the name of the node that writes it or of an output, and
// the last of the call's nodes is the one whose result the call leaves.
NamedTensors::const_iterator ValueFor(const ObservedValue& value, const PlanCall& call, const NamedTensors& values) {
  std::vector<std::string> names{value.name};
  if (!call.nodes.empty()) names.push_back(call.nodes.back());
  for (const std::string& name : names) {
    const auto it = values.find(name);
    const bool same =
        it != values.end() && it->second.shape() == value.value.shape() && it->second.dtype() == value.value.dtype();
    if (same) return it;
  }
  return values.end();
}

}  // namespace

std::vector<NodeError> CompareNodes(const relay::IRModule& typed, const std::shared_ptr<const Package>& package,
                                    const std::map<std::string, Tensor>& inputs, int threads, double tolerance) {
  const NamedTensors values = ReferenceValues(typed, inputs);
  const Plan& plan = package->plan();
  std::vector<Tensor> in_order;
  for (const int index : plan.inputs) in_order.push_back(inputs.at(plan.buffers.at(static_cast<size_t>(index)).name));
  std::vector<NodeError> nodes;
  RunObserved(package, in_order, threads, [&](const ObservedValue& value) {
    const PlanCall& call = plan.calls.at(static_cast<size_t>(value.call));
    const auto expected = ValueFor(value, call, values);
    if (expected == values.end()) return true;
    nodes.push_back({value.call, call.op, CompareOutput(expected->first, value.value, expected->second, tolerance)});
    return true;
  });
  if (nodes.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("no value of the package has the name of a node of {}; a model of an "
                                              ".onnx or .relay file has such names",
                                              typed.name));
  }
  return nodes;
}

std::optional<size_t> FirstDifference(const std::vector<NodeError>& nodes) {
  size_t first = nodes.size();
  while (first > 0 && !nodes[first - 1].error.agrees) --first;
  return first == nodes.size() ? std::nullopt : std::optional(first);
}

}  // namespace hone
