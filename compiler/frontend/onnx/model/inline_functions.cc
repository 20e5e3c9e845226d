#include "compiler/frontend/onnx/model/inline_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "compiler/frontend/onnx/node_error.h"

namespace hone {
namespace {

using Names = std::vector<std::string>;

int64_t BytesOf(const OnnxNode& node) {
  size_t bytes = sizeof(OnnxNode) + node.name.size() + node.op_type.size();
  for (const Names* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) bytes += sizeof(name) + name.size();
  }
  for (const auto& [name, attribute] : node.attributes) {
    bytes += sizeof(attribute) + name.size() + attribute.s.size();
    bytes += 8 * (attribute.ints.size() + attribute.floats.size());
    for (const std::string& each : attribute.strings) bytes += sizeof(each) + each.size();
  }
  return static_cast<int64_t>(bytes);
}

// One call's own copy of a function's contents.
class Copy {
 public:
  // Adds the copy's size to `bytes`.
  Copy(const OnnxNode& call, const OnnxFunction& function, int64_t& bytes)
      : call_(call), function_(function), bytes_(bytes) {
    Bind(function.inputs, call.inputs, "inputs");
    Bind(function.outputs, call.outputs, "outputs");
  }

  std::vector<OnnxNode> Nodes() {
    std::vector<OnnxNode> nodes;
    for (const OnnxNode& node : function_.nodes) nodes.push_back(Node(node));
    nodes.insert(nodes.end(), passed_on_.begin(), passed_on_.end());
    return nodes;
  }

 private:
  // Renames the function's formal names to those that the call gives.
  void Bind(const Names& formal, const Names& given, const char* what) {
    if (given.size() > formal.size()) {
      RefuseNode(call_, fmt::format("{} {}; its function has {}", given.size(), what, formal.size()));
    }
    for (size_t i = 0; i < formal.size(); ++i) {
      const std::string name = i < given.size() ? given[i] : "";
      const bool is_output = &formal == &function_.outputs;
      if (is_output && name.empty()) continue;
      if (!names_.emplace(formal[i], name).second && is_output) PassOn(names_[formal[i]], name);
    }
  }

  // For an output that is an input, or another output.
  void PassOn(const std::string& value, const std::string& name) {
    OnnxNode node;
    node.name = name;
    node.op_type = "Identity";
    node.opset = function_.opset;
    node.inputs = {value};
    node.outputs = {name};
    passed_on_.push_back(std::move(node));
  }

  std::string Name(const std::string& name) const {
    if (name.empty()) return name;
    const auto bound = names_.find(name);
    return bound != names_.end() ? bound->second : call_.name + "/" + name;
  }

  // The call's attribute, or else the function's default. Null if neither has it; then the operator's own default
  // holds.
  const OnnxAttribute* Referred(const std::string& name) const {
    for (const auto* attributes : {&call_.attributes, &function_.defaults}) {
      for (const auto& [key, attribute] : *attributes) {
        if (key == name) return &attribute;
      }
    }
    return nullptr;
  }

  OnnxNode Node(const OnnxNode& node) {
    OnnxNode copy = node;
    copy.name = call_.name + "/" + node.name;
    if (copy.opset == 0) copy.opset = function_.opset;
    for (std::string& name : copy.inputs) name = Name(name);
    for (std::string& name : copy.outputs) name = Name(name);
    copy.attributes.clear();
    for (const auto& [key, attribute] : node.attributes) {
      const OnnxAttribute* value = attribute.reference.empty() ? &attribute : Referred(attribute.reference);
      if (value == nullptr) continue;
      copy.attributes.emplace_back(key, *value);
      // A graph given by the call itself uses the names around the call.
      if (value == &attribute && value->graph != nullptr) copy.attributes.back().second.graph = Graph(*value->graph);
    }
    bytes_ += BytesOf(copy);
    return copy;
  }

  std::shared_ptr<const OnnxGraph> Graph(const OnnxGraph& graph) {
    auto copy = std::make_shared<OnnxGraph>(graph);
    for (OnnxNode& node : copy->nodes) node = Node(node);
    for (auto& [name, tensor] : copy->initializers) name = Name(name);
    for (OnnxInput& input : copy->inputs) input.name = Name(input.name);
    for (std::string& name : copy->outputs) name = Name(name);
    return copy;
  }

  const OnnxNode& call_;
  const OnnxFunction& function_;
  int64_t& bytes_;
  std::unordered_map<std::string, std::string> names_;
  std::vector<OnnxNode> passed_on_;
};

class Inliner {
 public:
  explicit Inliner(const std::vector<OnnxFunction>& functions) : functions_(functions) {}

  std::vector<OnnxNode> Inlined(std::vector<OnnxNode> nodes) {
    std::vector<OnnxNode> all;
    for (OnnxNode& node : nodes) {
      if (const OnnxFunction* function = FunctionOf(node)) {
        for (OnnxNode& each : Called(node, *function)) all.push_back(std::move(each));
        continue;
      }
      if (++count_ > kMaxNodes) RefuseNode(node, fmt::format("more than {} nodes, functions written out", kMaxNodes));
      InlineBodies(node);
      all.push_back(std::move(node));
    }
    return all;
  }

 private:
  static std::string_view Domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

  const OnnxFunction* FunctionOf(const OnnxNode& node) const {
    const auto is_it = [&](const OnnxFunction& function) {
      return function.name == node.op_type && Domain(function.domain) == Domain(node.domain) &&
             function.overload == node.overload;
    };
    const auto found = std::find_if(functions_.begin(), functions_.end(), is_it);
    return found == functions_.end() ? nullptr : &*found;
  }

  std::vector<OnnxNode> Called(const OnnxNode& call, const OnnxFunction& function) {
    if (std::find(open_.begin(), open_.end(), &function) != open_.end()) RefuseNode(call, "its function calls itself");
    if (open_.size() >= kDeepest)
      RefuseNode(call, fmt::format("functions within functions, more than {} deep", kDeepest));
    // Functions without nodes of their own may call each other any number of times.
    if (++calls_ > kMaxNodes) RefuseNode(call, fmt::format("more than {} calls, functions written out", kMaxNodes));
    open_.push_back(&function);
    std::vector<OnnxNode> own = Copy(call, function, bytes_).Nodes();
    if (bytes_ > kMostBytes) RefuseNode(call, "functions, written out, take more than 256 MiB");
    std::vector<OnnxNode> nodes = Inlined(std::move(own));
    open_.pop_back();
    return nodes;
  }

  void InlineBodies(OnnxNode& node) {
    for (auto& [name, attribute] : node.attributes) {
      if (attribute.graph == nullptr) continue;
      auto graph = std::make_shared<OnnxGraph>(*attribute.graph);
      graph->nodes = Inlined(std::move(graph->nodes));
      attribute.graph = std::move(graph);
    }
  }

  static constexpr size_t kDeepest = 32;
  static constexpr int64_t kMostBytes = int64_t{1} << 28;
  const std::vector<OnnxFunction>& functions_;
  std::vector<const OnnxFunction*> open_;  // functions that are being inlined
  int count_ = 0, calls_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace

void InlineFunctions(OnnxGraph& graph, const std::vector<OnnxFunction>& functions) {
  if (functions.empty()) return;
  graph.nodes = Inliner(functions).Inlined(std::move(graph.nodes));
}

}  // namespace hone
