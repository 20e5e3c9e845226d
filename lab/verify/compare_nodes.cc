#include "lab/verify/compare_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "compiler/relay/reference.h"
#include "core/error.h"
#include "lab/files/npy.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "lab/verify/value_table.h"
#include "runtime/observed_run.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;

// Names by which the value may be expected. Its own name is that of the node that writes it, or of an output. The last
// of the call's nodes is the one whose result the call leaves.
std::vector<std::string> NamesOf(const ObservedValue& value, const PlanCall& call, const ResultNames& known) {
  std::vector<std::string> names{value.name};
  if (!call.nodes.empty()) names.push_back(call.nodes.back());
  for (size_t i = 0, own = names.size(); i < own; ++i) {
    const auto more = known.find(names[i]);
    if (more != known.end()) names.insert(names.end(), more->second.begin(), more->second.end());
  }
  return names;
}

struct Match {
  std::string name;
  Tensor value;
};

std::optional<Match> FindExpected(const ObservedValue& value, const std::vector<std::string>& names,
                                  const ExpectedValue& expected) {
  for (const std::string& name : names) {
    std::optional<Tensor> found = expected(name);
    const bool same =
        found && found->shape() == value.value.shape() && IsFloat(found->dtype()) == IsFloat(value.value.dtype());
    if (same) return Match{name, std::move(*found)};
  }
  return std::nullopt;
}

int64_t NotFinite(const Tensor& tensor) {
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) count += std::isfinite(tensor.At(i)) ? 0 : 1;
  return count;
}

std::vector<Tensor> InOrder(const Plan& plan, const Inputs& inputs) {
  std::vector<Tensor> in_order;
  for (const int index : plan.inputs) {
    const std::string& name = plan.buffers.at(static_cast<size_t>(index)).name;
    const auto input = inputs.find(name);
    if (input == inputs.end()) throw Error(ExitCode::kUsage, fmt::format("only one of them has an input {}", name));
    in_order.push_back(input->second);
  }
  return in_order;
}

ExpectedValue ByName(std::map<std::string, Tensor> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<Tensor> {
    const auto it = values.find(name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  };
}

}  // namespace

ExpectedValue ExpectReference(const relay::IRModule& typed, const Inputs& inputs) {
  std::map<std::string, Tensor> values;
  // Results with several values are left out, because a tuple has no value of its own.
  RunReference(typed, inputs, [&](const relay::Call& call, const std::vector<Tensor>& results) {
    if (!call.name.empty() && results.size() == 1) values[call.name] = results[0];
  });
  return ByName(std::move(values));
}

ExpectedValue ExpectPackage(const std::shared_ptr<const Package>& package, const Inputs& inputs, int threads) {
  const Plan& plan = package->plan();
  std::map<std::string, Tensor> values;
  RunObserved(package, InOrder(plan, inputs), threads, [&](const ObservedValue& value) {
    for (const std::string& name : NamesOf(value, plan.calls.at(static_cast<size_t>(value.call)), {})) {
      values.try_emplace(name, value.value);
    }
    return true;
  });
  return ByName(std::move(values));
}

std::vector<NodeError> CompareNodes(const std::shared_ptr<const Package>& package, const Inputs& inputs, int threads,
                                    double tolerance, const ExpectedValue& expected, const std::string& against,
                                    const ResultNames& names) {
  const Plan& plan = package->plan();
  std::vector<NodeError> nodes;
  RunObserved(package, InOrder(plan, inputs), threads, [&](const ObservedValue& value) {
    const PlanCall& call = plan.calls.at(static_cast<size_t>(value.call));
    const std::vector<std::string> known = NamesOf(value, call, names);
    const std::optional<Match> match = FindExpected(value, known, expected);
    if (!match) return true;
    nodes.push_back({value.call, call.op, CompareOutput(known.front(), value.value, match->value, tolerance),
                     NotFinite(value.value), NotFinite(match->value)});
    return true;
  });
  if (nodes.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("no value of the package has name and shape of one of {}; the nodes of an .onnx or .relay "
                            "file have names",
                            against));
  }
  return nodes;
}

std::optional<size_t> FirstDifference(const std::vector<NodeError>& nodes) {
  size_t first = nodes.size();
  while (first > 0 && !nodes[first - 1].error.agrees) --first;
  return first == nodes.size() ? std::nullopt : std::optional(first);
}

std::optional<size_t> FirstNotFinite(const std::vector<NodeError>& nodes) {
  const auto it = std::find_if(nodes.begin(), nodes.end(), [](const NodeError& node) { return node.not_finite > 0; });
  return it == nodes.end() ? std::nullopt : std::optional(static_cast<size_t>(it - nodes.begin()));
}

namespace {

Json NodesJson(const std::vector<NodeError>& nodes) {
  Json list = Json::array();
  for (const NodeError& node : nodes) {
    list.push_back({{"call", node.call},
                    {"op", node.op},
                    {"node", node.error.name},
                    {"worst", FiniteOrInf(node.error.worst)},
                    {"index", node.error.index},
                    {"not_finite", node.not_finite},
                    {"agrees", node.error.agrees}});
  }
  return list;
}

Json NameJson(const std::vector<NodeError>& nodes, const std::optional<size_t>& which) {
  return which ? Json(nodes[*which].error.name) : Json();
}

std::string NotFiniteText(const NodeError& node) {
  return fmt::format("not finite first: {} (call {}, {}), {} of its elements; {}\n", node.error.name, node.call,
                     node.op, node.not_finite,
                     node.expected_not_finite == 0
                         ? std::string("those that it is compared with are finite")
                         : fmt::format("{} of those that it is compared with", node.expected_not_finite));
}

}  // namespace

bool ReportNodes(const std::vector<NodeError>& nodes, double tolerance, bool json) {
  const std::optional<size_t> first = FirstDifference(nodes), not_finite = FirstNotFinite(nodes);
  if (json) {
    PrintJson({{"agrees", !first},
               {"tolerance", tolerance},
               {"nodes", NodesJson(nodes)},
               {"first", NameJson(nodes, first)},
               {"first_not_finite", NameJson(nodes, not_finite)}});
    return !first;
  }
  Table table({"> call", "operator", "node", "> max|y-r|/max|r|", "> at element", "verdict"});
  for (const NodeError& node : nodes) {
    table.Add({fmt::format("{}", node.call), node.op, node.error.name, fmt::format("{:.2e}", node.error.worst),
               fmt::format("{}", node.error.index), node.error.agrees ? "agrees" : "DIFFERS"});
  }
  PrintVerdicts(fmt::format("{}{}tolerance {:.0e}: {}\n", table.ToText(),
                            not_finite ? NotFiniteText(nodes[*not_finite]) : "", tolerance,
                            first ? fmt::format("from node {} on (call {}, {}) nothing agrees",
                                                nodes[*first].error.name, nodes[*first].call, nodes[*first].op)
                                  : "the last value agrees"));
  return !first;
}

namespace {

constexpr size_t kNumber = 5;  // length of "0012_"

bool IsNumbered(const std::string& file) {
  return file.size() > kNumber && file[kNumber - 1] == '_' && file.find_first_not_of("0123456789") == kNumber - 1;
}

// Files by name without the number; a file without a number has priority over one with a number.
std::map<std::string, std::string> FilesOf(const std::string& folder) {
  std::error_code error;
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".npy") continue;
    files[file] = entry.path().string();
    if (IsNumbered(file)) files.try_emplace(file.substr(kNumber), entry.path().string());
  }
  const bool refused = error == std::errc::permission_denied;
  if (error)
    throw Error(refused ? ExitCode::kNotAuthorised : ExitCode::kNoInput,
                fmt::format("the folder {} cannot be read: {}", folder, error.message()));
  if (files.empty()) throw Error(ExitCode::kNoInput, fmt::format("the folder {} has no .npy file", folder));
  return files;
}

}  // namespace

ExpectedValue ExpectFiles(const std::string& folder) {
  return [files = FilesOf(folder)](const std::string& name) -> std::optional<Tensor> {
    const auto file = files.find(NpyFileName(name));
    return file == files.end() ? std::nullopt : std::optional(ReadNpy(file->second));
  };
}

}  // namespace hone
