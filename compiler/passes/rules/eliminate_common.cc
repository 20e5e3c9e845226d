#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

// Exact form of a value, because Relay's text rounds floats.
std::string ExactText(const relay::AttrValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? fmt::format("{:a}", *number) : relay::ToText(value);
}

// A text for the node's computation, with nodes named by address: equal texts mean equal values. Empty for leaves.
std::string NodeKey(const relay::ExprPtr& node) {
  std::string key;
  const auto add = [&key](const relay::ExprPtr& part) { key += fmt::format("{} ", fmt::ptr(part.get())); };
  if (const relay::Call* call = relay::AsCall(node)) {
    add(call->op);
    for (const relay::ExprPtr& arg : call->args) add(arg);
    for (const auto& [name, value] : call->attrs.values()) key += name + "=" + ExactText(value) + " ";
  } else if (const relay::Tuple* tuple = relay::AsTuple(node)) {
    key = "tuple ";
    for (const relay::ExprPtr& field : tuple->fields) add(field);
  } else if (const relay::TupleGetItem* item = relay::AsTupleGetItem(node)) {
    key = fmt::format("item {} ", item->index);
    add(item->tuple);
  }
  return key;
}

}  // namespace

relay::ExprPtr EliminateCommon(const relay::ExprPtr& root) {
  std::unordered_map<std::string, relay::ExprPtr> known;  // owns its nodes: an address means one node
  return relay::RewritePostOrder(root, [&](const relay::ExprPtr&, const relay::ExprPtr& rebuilt) {
    const std::string key = NodeKey(rebuilt);
    return key.empty() ? rebuilt : known.try_emplace(key, rebuilt).first->second;
  });
}

}  // namespace hone
