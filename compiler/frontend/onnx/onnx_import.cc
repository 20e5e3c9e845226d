#include "compiler/frontend/onnx/onnx_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/file/onnx_parse.h"
#include "compiler/frontend/onnx/file/open_file.h"
#include "compiler/frontend/onnx/model/declared_values.h"
#include "compiler/frontend/onnx/model/model_inputs.h"
#include "compiler/frontend/onnx/model/model_results.h"
#include "compiler/frontend/onnx/model/model_states.h"
#include "compiler/frontend/onnx/model/old_opsets.h"
#include "compiler/frontend/onnx/model/sequences.h"
#include "compiler/frontend/onnx/model/topological_order.h"
#include "compiler/frontend/onnx/node_error.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/unknown_operator.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/half_types.h"
#include "compiler/relay/replace_values.h"
#include "compiler/relay/state_values.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Limits of graphs within nodes: their depth, and the number of their nodes, counted each time that they are computed.
constexpr size_t kDeepestGraph = 32;
constexpr size_t kMostBodyNodes = 100'000;

// Turns one OnnxGraph into a module.
class Importer {
 public:
  Importer(const OnnxGraph& graph, const OnnxImportOptions& options, std::vector<std::string>& notices)
      : graph_(graph),
        options_(options),
        notices_(notices),
        states_(ChosenStates(graph, options.states)),
        declared_(graph, options),
        builder_(options.freeze, options.max_dim) {}

  relay::IRModule Run();

 private:
  // Names and their values, of the model or of a graph within a node that is being converted.
  struct Value {
    ExprPtr expr;
    const NarrowType* narrow = nullptr;  // its type in ONNX; null if the dtype says it
  };
  using Scope = std::unordered_map<std::string, Value>;

  void AddInputs();
  void AddSeed();
  void MarkStates();
  void TellStates();
  std::vector<ExprPtr> ConvertBodyOf(const OnnxGraph& body, const std::vector<ExprPtr>& inputs);
  const Value* FindValue(const std::string& name) const;
  NarrowTypes InputNarrows(const OnnxNode& node) const;
  Value AsResult(const OnnxNode& node, const NarrowTypes& inputs, const ExprPtr& result, size_t index);
  // The type that a value or weight has in ONNX. A 16-bit float is one of the module's.
  const NarrowType* Met(const NarrowType* narrow);
  void ConvertNode(const OnnxNode& node);
  bool AnyCountedInput(const std::vector<ExprPtr>& inputs) const;
  std::string WayOut(const OnnxNode& node, std::string_view why) const;
  std::vector<ExprPtr> Convert(OnnxNode node, const NarrowTypes& narrow);
  const ExprPtr& ValueOf(const std::string& name) const;
  OnnxNodeView WithoutNode();
  std::vector<ExprPtr> Outputs(std::vector<std::string>& names);
  relay::IRModule Finish();

  const OnnxGraph& graph_;
  const OnnxImportOptions& options_;
  std::vector<std::string>& notices_;
  const std::vector<ModelState> states_;
  DeclaredValues declared_;
  TypedBuilder builder_;
  const OnnxNode no_node_;
  std::string node_name_;  // name of the node being converted
  ModelInputs inputs_;
  std::vector<Scope> scopes_{1};
  size_t body_nodes_ = 0;
  std::set<std::string> halves_;  // names of the 16-bit floats that values or weights have
};

const NarrowType* Importer::Met(const NarrowType* narrow) {
  if (narrow != nullptr && narrow->is_real() && narrow->bits == 16) halves_.emplace(narrow->name);
  return narrow;
}

// For what the import adds beside the nodes.
OnnxNodeView Importer::WithoutNode() { return {no_node_, graph_.opset, {}, builder_}; }

void Importer::AddInputs() {
  inputs_ = AddModelInputs(graph_, options_, states_, notices_, builder_);
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const std::string& name = graph_.inputs[i].name;
    const NarrowType* narrow = Met(DeclaredNarrow(graph_, name));
    const ExprPtr& value = inputs_.values[i];
    const bool is_declared = narrow != nullptr && relay::AsConstant(value) == nullptr;
    scopes_[0][name] = {is_declared ? FromDeclared(WithoutNode(), value, *narrow) : value, narrow};
  }
  for (const auto& [name, tensor] : graph_.initializers) {
    scopes_[0][name] = {builder_.Weight(tensor, name), Met(DeclaredNarrow(graph_, name))};
  }
  AddSeed();
  MarkStates();
  if (options_.states.empty()) TellStates();
}

// A state that is converted where the model reads it has no rows of its own type to append to.
void Importer::MarkStates() {
  for (const ModelState& state : states_) {
    const ExprPtr& value = scopes_[0][state.first].expr;
    const int64_t axis = AppendedAxis(graph_, state);
    if (axis >= 0 && relay::AsVar(value) != nullptr) builder_.SetAppended(value, axis);
  }
}

void Importer::TellStates() {
  const std::vector<ModelState> found = FindStates(graph_);
  if (found.empty()) return;
  const size_t others = found.size() - 1;
  notices_.push_back(
      fmt::format("input \"{}\"{} can be kept from run to run: --state auto does, and --state none "
                  "leaves {} to the caller",
                  found[0].first, others == 0 ? "" : " and " + Counted(others, "other"), others == 0 ? "it" : "them"));
}

void Importer::AddSeed() {
  const std::string& name = options_.seed_input;
  if (name.empty()) return builder_.SetSeed(CountOf(static_cast<int64_t>(options_.seed)));
  if (FindValue(name) != nullptr) {
    throw Error(ExitCode::kUsage, fmt::format("--seed-input {}: the model has a value of that name", name));
  }
  inputs_.params.push_back(std::make_shared<const relay::Var>(name, relay::TensorType({}, DType::kInt64)));
  builder_.SetSeed(inputs_.params.back());
}

// The weights of a graph within a node are constants, because another branch may have a parameter of the same name.
std::vector<ExprPtr> Importer::ConvertBodyOf(const OnnxGraph& body, const std::vector<ExprPtr>& inputs) {
  if (scopes_.size() > kDeepestGraph) RefuseNode(fmt::format("graphs within graphs, more than {} deep", kDeepestGraph));
  if (inputs.size() != body.inputs.size()) {
    RefuseNode(fmt::format("its graph has {}, it must have {}", Counted(body.inputs.size(), "input"), inputs.size()));
  }
  body_nodes_ += body.nodes.size();
  if (body_nodes_ > kMostBodyNodes) RefuseNode(fmt::format("more than {} nodes, written out", kMostBodyNodes));
  const std::vector<int> order =
      TopologicalOrder(body, [&](const std::string& name) { return FindValue(name) != nullptr; });
  Scope scope;
  for (size_t i = 0; i < inputs.size(); ++i) scope[body.inputs[i].name] = {inputs[i]};
  for (const auto& [name, tensor] : body.initializers) {
    scope[name] = {relay::MakeConstant(tensor, name), Met(DeclaredNarrow(body, name))};
  }
  scopes_.push_back(std::move(scope));
  for (const int index : order) ConvertNode(Nth(body.nodes, index));
  std::vector<ExprPtr> results;
  for (const std::string& name : body.outputs) {
    results.push_back(ValueOf(name));
    if (const NarrowType* narrow = FindValue(name)->narrow; narrow != nullptr && !narrow->is_real()) {
      RefuseNode(fmt::format("its graph's result \"{}\" is {}; cast it to int32 or int64", name, narrow->name));
    }
  }
  scopes_.pop_back();
  return results;
}

// An output that a converter does not make (a mask, indices) is an error only if it is used.
const ExprPtr& Importer::ValueOf(const std::string& name) const {
  const Value* value = FindValue(name);
  if (value == nullptr) RefuseNode(fmt::format("\"{}\" is a result that is not supported", name));
  return value->expr;
}

// The value in the innermost graph that has the name; null if there is none.
const Importer::Value* Importer::FindValue(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto value = scope->find(name); value != scope->end()) return &value->second;
  }
  return nullptr;
}

// Graphs within nodes do not know their inputs' types, so that none of them may be a narrow integer.
NarrowTypes Importer::InputNarrows(const OnnxNode& node) const {
  NarrowTypes types;
  for (const std::string& name : node.inputs) {
    const Value* value = name.empty() ? nullptr : FindValue(name);
    types.push_back(value == nullptr ? nullptr : value->narrow);
  }
  const auto is_graph = [](const auto& attribute) { return attribute.second.kind == OnnxAttribute::Kind::kGraph; };
  const auto wraps = [](const NarrowType* type) { return type != nullptr && !type->is_real(); };
  const auto narrow = std::ranges::find_if(types, wraps);
  if (narrow != types.end() && std::ranges::any_of(node.attributes, is_graph)) {
    RefuseNode(fmt::format("an input is {}; cast it to int32 or int64", (*narrow)->name));
  }
  return types;
}

// A result with its type, wrapped if the operator may have left the type's range.
Importer::Value Importer::AsResult(const OnnxNode& node, const NarrowTypes& inputs, const ExprPtr& computed,
                                   size_t index) {
  const ExprPtr result = builder_.has_counts() && computed != nullptr ? ConstantIfKnown(builder_, computed) : computed;
  const NarrowType* narrow = result == nullptr ? nullptr : Met(ResultNarrow(node, inputs, index));
  if (narrow == nullptr) return {result};
  if (builder_.TypeOf(result)->kind == relay::TypeKind::kTuple) return {result, narrow};
  if (builder_.DTypeOf(result) != narrow->stored) return {result};
  if (narrow->is_uint64() && ComparesElements(node.op_type)) return {InOtherOrder(WithoutNode(), result), narrow};
  if (narrow->is_real() || !LeavesRange(node.op_type)) return {result, narrow};
  return {Wrapped(WithoutNode(), result, *narrow), narrow};
}

// Takes a copy, because a node of an old opset is changed into a present one.
std::vector<ExprPtr> Importer::Convert(OnnxNode node, const NarrowTypes& narrow) {
  const int64_t opset = node.opset > 0 ? node.opset : graph_.opset;
  const std::string_view domain = node.domain == "ai.onnx" ? std::string_view() : std::string_view(node.domain);
  const OnnxOperator* row = FindOnnxOperator(domain, node.op_type);
  if (row == nullptr) RefuseNode(WhyUnknown(domain, node.op_type));
  std::vector<ExprPtr> inputs;
  for (const std::string& input : node.inputs) inputs.push_back(input.empty() ? nullptr : ValueOf(input));
  if (!row->outcome.takes_sequences) RequireTensors(inputs);
  for (size_t i = 0; ComparesElements(node.op_type) && i < inputs.size(); ++i) {
    if (narrow[i] != nullptr && narrow[i]->is_uint64()) inputs[i] = InOtherOrder(WithoutNode(), inputs[i]);
  }
  if (domain.empty() && opset < kPresentRules) ToPresentRules(node, inputs, opset, builder_);
  RequireFits(node, *row);
  if (AnyCountedInput(inputs) && !row->outcome.takes_counts) {
    RefuseNode("an input's extent is counted in a run, which this operator does not take");
  }
  const auto convert_body = [this](const OnnxGraph& body, const std::vector<ExprPtr>& given) {
    return ConvertBodyOf(body, given);
  };
  return row->convert(OnnxNodeView(node, opset, std::move(inputs), builder_, convert_body, narrow));
}

void Importer::ConvertNode(const OnnxNode& node) {
  // Converting a node continues after the nodes of its own graphs.
  const std::string outer = std::exchange(node_name_, node.name);
  builder_.SetNodeName(node.name);
  try {
    const NarrowTypes narrow = InputNarrows(node);
    const std::vector<ExprPtr> results = Convert(node, narrow);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty() || i >= results.size() || results[i] == nullptr) continue;
      const Value& value = scopes_.back()[node.outputs[i]] = AsResult(node, narrow, results[i], i);
      if (scopes_.size() == 1 && relay::AsTuple(value.expr) == nullptr)
        declared_.Compare(node, node.outputs[i], value.expr, builder_);
    }
  } catch (const NodeError&) {
    throw;
  } catch (const Error& error) {
    throw NodeError(error.code(), fmt::format("node \"{}\" ({}): {}{}", node.name, OperatorName(node), error.what(),
                                              WayOut(node, error.what())));
  } catch (const std::exception& error) {
    throw NodeError(ExitCode::kBadData,
                    fmt::format("node \"{}\" ({}): {}", node.name, OperatorName(node), error.what()));
  }
  node_name_ = outer;
  builder_.SetNodeName(outer);
}

// The option that gives a value or fixes a length, for a node that was refused because a run decides it. For other
// nodes the way around what hone lacks.
std::string Importer::WayOut(const OnnxNode& node, std::string_view why) const {
  std::vector<ExprPtr> inputs;
  for (const std::string& name : node.inputs) {
    const Value* value = FindValue(name);
    if (value != nullptr) inputs.push_back(value->expr);
    if (value != nullptr && LacksValue(value->expr, why)) return fmt::format("; --value {}=NUMBER gives it", name);
  }
  if (inputs_.ranged.empty() || !AnyCountedInput(inputs)) return WayAround(why);
  std::vector<std::string> options;
  for (const relay::RangedInput& each : inputs_.ranged) {
    std::string option = fmt::format("--dim {}=NUMBER", relay::DimensionName(*Nth(inputs_.params, each.extent)));
    if (std::ranges::find(options, option) == options.end()) options.push_back(std::move(option));
  }
  return fmt::format("; {} fixes the length", fmt::join(options, " "));
}

bool Importer::AnyCountedInput(const std::vector<ExprPtr>& inputs) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const ExprPtr& input) { return input != nullptr && !builder_.CountsOf(input).empty(); });
}

// The results as the types that the model declares for them.
std::vector<ExprPtr> Importer::Outputs(std::vector<std::string>& names) {
  std::vector<ExprPtr> outputs;
  for (const std::string& name : graph_.outputs) {
    const Value* value = FindValue(name);
    if (value == nullptr) throw Error(ExitCode::kBadData, fmt::format("nothing makes the output \"{}\"", name));
    const NarrowType* narrow = DeclaredNarrow(graph_, name);
    const bool is_stored = narrow != nullptr && builder_.TypeOf(value->expr)->kind == relay::TypeKind::kTensor &&
                           builder_.DTypeOf(value->expr) == narrow->stored;
    AddOutput(name, is_stored ? ToDeclared(WithoutNode(), value->expr, *narrow) : value->expr, names, outputs);
  }
  return outputs;
}

relay::IRModule Importer::Finish() {
  relay::IRModule module;
  std::vector<ExprPtr> outputs = Outputs(module.output_names);
  const std::vector<relay::StateValue> states = AddStates(states_, inputs_, outputs, module.output_names, builder_);
  const std::vector<relay::CountedOutput> counted = AddCounts(builder_, outputs, module.output_names);
  const ExprPtr body = outputs.size() == 1 ? outputs[0] : relay::MakeTuple(outputs);
  const auto uses = relay::CountUses(body);
  auto params = inputs_.params;
  // Weights that only shaped the import (a clip's bounds) are not parameters of the result.
  for (size_t i = 0; i < builder_.param_vars().size(); ++i) {
    const ExprPtr& var = builder_.param_vars()[i];
    if (uses.count(var.get()) == 0) continue;
    params.push_back(std::static_pointer_cast<const relay::Var>(var));
    module.params.push_back(builder_.params()[i]);
  }
  relay::Attrs attrs;
  if (!halves_.empty()) attrs.Set(std::string(relay::kHalves), fmt::format("{}", fmt::join(halves_, ",")));
  if (!counted.empty()) attrs.Set(std::string(relay::kCounted), relay::CountedNumbers(counted));
  if (!inputs_.ranged.empty()) attrs.Set(std::string(relay::kRanged), relay::RangedNumbers(inputs_.ranged));
  if (!states.empty()) attrs.Set(std::string(relay::kStates), relay::StateNumbers(states));
  module.main = std::make_shared<const relay::Function>(std::move(params), body, std::move(attrs));
  return module;
}

relay::IRModule Importer::Run() {
  const std::vector<int> order = TopologicalOrder(graph_);
  AddInputs();
  try {
    for (const int index : order) ConvertNode(Nth(graph_.nodes, index));
  } catch (const Error& error) {
    declared_.Throw(error);
  }
  declared_.Tell(notices_);
  return Finish();
}

std::map<std::string, std::vector<std::string>> ResultNames(const OnnxGraph& graph) {
  std::map<std::string, std::vector<std::string>> names;
  for (const OnnxNode& node : graph.nodes) {
    if (node.outputs != std::vector<std::string>{node.name}) names[node.name] = node.outputs;
  }
  return names;
}

OnnxImportResult Import(OnnxGraph graph, const std::string& name, const OnnxImportOptions& options,
                        std::vector<std::string> notices) {
  OnnxImportResult result;
  TellMaps(graph, notices);
  ReplaceValues(graph.initializers, options.initializers, options.initializers_origin);
  WriteOutSequenceInputs(graph, options.shapes, notices);
  KeepEmptyStates(graph, ChosenStates(graph, options.states));
  result.module = Importer(graph, options, notices).Run();
  result.module.name = name;
  result.result_names = ResultNames(graph);
  for (std::string& notice : notices) result.notices.push_back(OneLine(std::move(notice)));
  return result;
}

}  // namespace

OnnxImportResult ImportOnnx(const std::string& path, const OnnxImportOptions& options) {
  const OpenFile file(path);
  const ExternalData external(path);
  try {
    std::vector<std::string> notices;
    OnnxGraph graph = ParseOnnxFile(file.fd(), &external, notices);
    OnnxImportResult result = Import(std::move(graph), path, options, std::move(notices));
    result.external_files = external.opened();
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, OneLine(error.what())));
  }
}

OnnxImportResult ImportOnnxBytes(std::string_view bytes, const std::string& name, const OnnxImportOptions& options) {
  try {
    std::vector<std::string> notices;
    OnnxGraph graph = ParseOnnx(bytes, nullptr, notices);
    return Import(std::move(graph), name, options, std::move(notices));
  } catch (const Error& error) {
    throw Error(error.code(), OneLine(error.what()));
  }
}

}  // namespace hone
