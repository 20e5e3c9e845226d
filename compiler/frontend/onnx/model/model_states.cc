#include "compiler/frontend/onnx/model/model_states.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "compiler/frontend/onnx/model/fixed_dims.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

// An operator's cache: its input, the output that follows it, and the axis along which rows are added.
struct CacheSlot {
  std::string_view op;
  std::string_view domain;
  size_t input, output;
  int64_t axis;
};

constexpr std::string_view kOwnDomain, kMicrosoftDomain = "com.microsoft";
constexpr CacheSlot kCacheSlots[] = {
    {"GroupQueryAttention", kMicrosoftDomain, 3, 1, 2},
    {"GroupQueryAttention", kMicrosoftDomain, 4, 2, 2},
    {"MultiHeadAttention", kMicrosoftDomain, 6, 1, 2},
    {"MultiHeadAttention", kMicrosoftDomain, 7, 2, 2},
    {"Attention", kOwnDomain, 4, 1, 2},
    {"Attention", kOwnDomain, 5, 2, 2},
    {"TensorScatter", kOwnDomain, 0, 0, -2},
    {"Concat", kOwnDomain, 0, 0, 0},
};

// Names of inputs and of their outputs, as parts of the whole names.
struct NamePair {
  std::string_view input, output;
  bool recurrent;  // only of models with recurrent layers
};
constexpr NamePair kNamePairs[] = {
    {"past_key_values", "present", false},
    {"past_key_values", "present_key_values", false},
    {"past", "present", false},
    {"past", "new", false},
    {"h0", "hn", true},
    {"c0", "cn", true},
    {"h_0", "h_n", true},
    {"c_0", "c_n", true},
    {"initial_h", "Y_h", true},
    {"initial_c", "Y_c", true},
    {"_in", "_out", true},
    {"in_", "out_", true},
};

const OnnxInput* FindInput(const OnnxGraph& graph, std::string_view name) {
  const auto input = std::ranges::find(graph.inputs, name, &OnnxInput::name);
  return input == graph.inputs.end() ? nullptr : &*input;
}

bool IsOutput(const OnnxGraph& graph, std::string_view name) {
  return std::ranges::find(graph.outputs, name) != graph.outputs.end();
}

bool IsOwn(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool Is(const OnnxNode& node, const CacheSlot& slot) {
  return node.op_type == slot.op && (slot.domain.empty() ? IsOwn(node.domain) : node.domain == slot.domain) &&
         node.inputs.size() > slot.input && node.outputs.size() > slot.output;
}

bool IsRecurrent(const OnnxNode& node) {
  return IsOwn(node.domain) && (node.op_type == "GRU" || node.op_type == "LSTM" || node.op_type == "RNN");
}

// The output that a value becomes through nodes that only rename it; the name itself if there are none.
std::string Renamed(const OnnxGraph& graph, std::string name) {
  for (size_t steps = 0; steps < graph.nodes.size() && !IsOutput(graph, name); ++steps) {
    const auto next = std::ranges::find_if(graph.nodes, [&](const OnnxNode& node) {
      return node.op_type == "Identity" && node.inputs == std::vector<std::string>{name} && node.outputs.size() == 1;
    });
    if (next == graph.nodes.end()) break;
    name = next->outputs[0];
  }
  return name;
}

// Whether the output may have the input's type and rank, as far as the model declares them.
bool MayFollow(const OnnxGraph& graph, const OnnxInput& input, const std::string& output) {
  if (!IsOutput(graph, output)) return false;
  const auto type_of = [&](const std::string& name) {
    const auto type = graph.element_types.find(name);
    return type == graph.element_types.end() ? 0 : type->second;
  };
  const int64_t own = type_of(input.name), other = type_of(output);
  if (own != 0 && other != 0 && own != other) return false;
  const auto shape = graph.declared_shapes.find(output);
  const bool is_declared = shape != graph.declared_shapes.end() && !shape->second.empty() && input.has_shape;
  return !is_declared || shape->second.size() == input.dims.size();
}

std::string OfOperator(const OnnxGraph& graph, const OnnxInput& input) {
  for (const OnnxNode& node : graph.nodes) {
    for (const CacheSlot& slot : kCacheSlots) {
      if (slot.op == "Concat" || !Is(node, slot) || node.inputs[slot.input] != input.name) continue;
      std::string output = Renamed(graph, node.outputs[slot.output]);
      if (MayFollow(graph, input, output)) return output;
    }
  }
  return "";
}

std::string OfName(const OnnxGraph& graph, const OnnxInput& input) {
  const bool recurrent = std::ranges::any_of(graph.nodes, IsRecurrent);
  for (const NamePair& pair : kNamePairs) {
    const size_t at = input.name.find(pair.input);
    if (at == std::string::npos || (pair.recurrent && !recurrent)) continue;
    std::string output = input.name;
    output.replace(at, pair.input.size(), pair.output);
    if (MayFollow(graph, input, output)) return output;
  }
  return "";
}

[[noreturn]] void RefuseState(const std::string& given, std::string_view what, const std::string& name,
                              std::vector<std::string> names) {
  throw Error(ExitCode::kUsage,
              fmt::format("--state {}: the model has no {} \"{}\"; it has {}{}", given, what, name,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")), DidYouMean(name, names)));
}

ModelState ParseState(const OnnxGraph& graph, const std::string& given) {
  const size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    throw Error(ExitCode::kUsage, fmt::format("--state is given \"{}\"; right is auto, none, or INPUT=OUTPUT", given));
  }
  ModelState state{given.substr(0, equals), given.substr(equals + 1)};
  if (FindInput(graph, state.first) == nullptr) {
    std::vector<std::string> names;
    for (const OnnxInput& input : graph.inputs) names.push_back(input.name);
    RefuseState(given, "input", state.first, names);
  }
  if (!IsOutput(graph, state.second)) RefuseState(given, "output", state.second, graph.outputs);
  return state;
}

bool Shares(const ModelState& a, const ModelState& b) { return a.first == b.first || a.second == b.second; }

}  // namespace

std::vector<ModelState> FindStates(const OnnxGraph& graph) {
  std::vector<ModelState> states;
  for (const OnnxInput& input : graph.inputs) {
    if (input.is_sequence || input.is_optional) continue;
    std::string output = OfOperator(graph, input);
    if (output.empty()) output = OfName(graph, input);
    const ModelState state{input.name, output};
    if (output.empty() || std::ranges::any_of(states, [&](const auto& each) { return Shares(each, state); })) continue;
    states.push_back(state);
  }
  return states;
}

std::vector<ModelState> ChosenStates(const OnnxGraph& graph, const std::vector<std::string>& given) {
  std::vector<ModelState> states;
  bool found = false;
  for (const std::string& text : given) {
    if (text == "none" && given.size() > 1) {
      throw Error(ExitCode::kUsage, "--state none is given beside others; it stands alone");
    }
    found = found || text == "auto";
    if (text == "auto" || text == "none") continue;
    const ModelState state = ParseState(graph, text);
    if (std::ranges::any_of(states, [&](const auto& each) { return Shares(each, state); })) {
      throw Error(ExitCode::kUsage, fmt::format("--state {}: one of the two is given twice", text));
    }
    states.push_back(state);
  }
  if (!found) return states;
  const std::vector<ModelState> own = states;
  for (const ModelState& each : FindStates(graph)) {
    if (std::ranges::none_of(own, [&](const auto& other) { return Shares(each, other); })) states.push_back(each);
  }
  if (states.empty()) {
    throw Error(ExitCode::kUsage,
                "--state auto: no input of the model is an output of its last run, by name or by "
                "operator; --state INPUT=OUTPUT names one");
  }
  return states;
}

namespace {

// The axis of a cache of that rank along which a node of the graph appends rows to the state; -1 if none does.
int64_t AppendedAxisIn(const OnnxGraph& graph, const ModelState& state, int64_t rank);

int64_t AppendedAxisBy(const OnnxNode& node, const CacheSlot& slot, int64_t rank) {
  if (slot.op == "Concat" && node.inputs.size() != 2) return -1;
  int64_t axis = slot.axis;
  for (const auto& [name, attribute] : node.attributes) {
    if (name == "axis" && slot.domain.empty() && slot.op != "Attention") axis = attribute.i;
  }
  return axis < 0 ? axis + rank : axis;
}

// The branches of an If whose result becomes that output, each with the branch's name for it.
std::vector<std::pair<const OnnxGraph*, std::string>> BranchesOf(const OnnxGraph& graph, const OnnxNode& node,
                                                                 const std::string& output) {
  std::vector<std::pair<const OnnxGraph*, std::string>> branches;
  for (size_t i = 0; IsOwn(node.domain) && node.op_type == "If" && i < node.outputs.size(); ++i) {
    if (Renamed(graph, node.outputs[i]) != output) continue;
    for (const auto& [name, attribute] : node.attributes) {
      if (attribute.graph == nullptr || i >= attribute.graph->outputs.size()) continue;
      branches.emplace_back(attribute.graph.get(), attribute.graph->outputs[i]);
    }
  }
  return branches;
}

int64_t AppendedAxisIn(const OnnxGraph& graph, const ModelState& state, int64_t rank) {
  for (const OnnxNode& node : graph.nodes) {
    for (const CacheSlot& slot : kCacheSlots) {
      if (!Is(node, slot) || node.inputs[slot.input] != state.first || WindowOfCache(node)) continue;
      if (Renamed(graph, node.outputs[slot.output]) != state.second) continue;
      if (const int64_t axis = AppendedAxisBy(node, slot, rank); axis >= 0) return axis;
    }
    for (const auto& [branch, output] : BranchesOf(graph, node, state.second)) {
      if (const int64_t axis = AppendedAxisIn(*branch, {state.first, output}, rank); axis >= 0) return axis;
    }
  }
  return -1;
}

bool HasNoElements(const OnnxGraph& graph, const std::string& value) {
  for (const OnnxNode& node : graph.nodes) {
    if (node.op_type != "Constant" || node.outputs != std::vector<std::string>{value}) continue;
    return std::ranges::any_of(node.attributes, [](const auto& attribute) {
      return attribute.second.kind == OnnxAttribute::Kind::kTensor && attribute.second.tensor.elements() == 0;
    });
  }
  return false;
}

}  // namespace

int64_t AppendedAxis(const OnnxGraph& graph, const ModelState& state) {
  return AppendedAxisIn(graph, state, static_cast<int64_t>(FindInput(graph, state.first)->dims.size()));
}

void KeepEmptyStates(OnnxGraph& graph, const std::vector<ModelState>& states) {
  for (OnnxNode& node : graph.nodes) {
    for (const ModelState& state : states) {
      for (auto& [name, attribute] : node.attributes) {
        if (attribute.graph == nullptr) continue;
        OnnxGraph branch = *attribute.graph;
        for (const auto& [of, output] : BranchesOf(graph, node, state.second)) {
          if (of != attribute.graph.get() || !HasNoElements(branch, output)) continue;
          std::ranges::replace(branch.outputs, output, state.first);
          attribute.graph = std::make_shared<const OnnxGraph>(std::move(branch));
          break;
        }
      }
    }
  }
}

}  // namespace hone
