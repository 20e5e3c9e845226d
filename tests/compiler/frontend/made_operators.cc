#include "tests/compiler/frontend/made_operators.h"

#include <map>

#include "compiler/frontend/onnx/file/onnx_parse.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

// Several nodes, in graphs within nodes, may share a name.
using TypesByName = std::map<std::string, std::set<std::string>>;

void AddNodes(const OnnxGraph& graph, TypesByName& types) {
  for (const OnnxNode& node : graph.nodes) {
    types[node.name].insert(node.op_type);
    for (const auto& [name, attribute] : node.attributes) {
      if (attribute.graph != nullptr) AddNodes(*attribute.graph, types);
    }
  }
}

}  // namespace

MadeOperators& SeenMadeOperators() {
  static MadeOperators seen;
  return seen;
}

void RecordMadeOperators(std::string_view model, const relay::IRModule& imported) {
  std::vector<std::string> notices;
  TypesByName types;
  AddNodes(ParseOnnx(model, nullptr, notices), types);
  relay::PostOrderVisit(imported.main, [&](const relay::ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    const relay::Op* op = call == nullptr ? nullptr : relay::AsOp(call->op);
    const auto node = op == nullptr ? types.end() : types.find(call->name);
    // If several nodes share the name, the call's node is unknown.
    if (node != types.end() && node->second.size() == 1) {
      SeenMadeOperators().emplace(op->def->name, *node->second.begin());
    }
  });
}

}  // namespace hone
