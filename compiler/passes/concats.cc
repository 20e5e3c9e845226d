// Concatenations move behind the operators on them, and take the place of their first inputs.
#include <map>
#include <set>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

ExprPtr SunkUnary(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || !IsUnary(*call) || !relay::Equal(call->type, call->args[0]->type) ||
      uses.Of(call->args[0]) != 1)
    return nullptr;
  const Call* concat = relay::AsCallTo(call->args[0], "concatenate");
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::vector<ExprPtr> parts;
  for (const ExprPtr& field : tuple->fields) {
    parts.push_back(TypedCall(relay::AsOp(call->op)->def->name, {field}, call->attrs, call->name));
  }
  return TypedCall("concatenate", {TypedTuple(std::move(parts))}, concat->attrs, concat->name);
}

ExprPtr SunkBias(const ExprPtr& node, const Uses& uses) {
  const Call* add = relay::AsCallTo(node, "nn.bias_add");
  const Call* concat = add && uses.Of(add->args[0]) == 1 ? relay::AsCallTo(add->args[0], "concatenate") : nullptr;
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr || !IsBias(*add) || concat->attrs.GetInt("axis") != 1 || !IsStatic(ShapeOf(node)))
    return nullptr;
  const auto bias = PerChannel(add->args[1], {ShapeOf(node)[1]}, 0);
  if (!bias) return nullptr;
  std::vector<ExprPtr> parts;
  auto next = bias->begin();
  for (const ExprPtr& field : tuple->fields) {
    const std::vector<double> own(next, next + ShapeOf(field)[1]);
    next += ShapeOf(field)[1];
    parts.push_back(
        TypedCall("nn.bias_add", {field, VectorConstant(own, relay::AsConstant(add->args[1])->name)}, {}, add->name));
  }
  return TypedCall("concatenate", {TypedTuple(std::move(parts))}, concat->attrs, concat->name);
}

}  // namespace

relay::IRModule SinkConcats(const relay::IRModule& module) {
  return RewriteByRules(module, {SunkUnary, SunkBias, IntoPhases});
}

namespace {

// The concatenations met so far, by their inputs.
class Nesting {
 public:
  // The node's replacement, or null.
  ExprPtr Nested(const ExprPtr& node) {
    const Call* concat = relay::AsCallTo(node, "concatenate");
    const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
    if (tuple == nullptr || made_.contains(node)) return nullptr;
    const int64_t axis = concat->attrs.GetInt("axis");
    ExprPtr result = node;
    // Tries only lengths that occur, the longest first: a list may have 100,000 parts.
    for (auto length = lengths_.lower_bound(tuple->fields.size()); length != lengths_.begin() && result == node;) {
      const size_t count = *--length;
      const auto known = by_inputs_.find(KeyOf(tuple->fields, count, axis));
      if (known != by_inputs_.end()) result = Grown(*concat, known->second, tuple->fields, count);
    }
    made_.insert(result);
    if (tuple->fields.size() >= 2) lengths_.insert(tuple->fields.size());
    by_inputs_.try_emplace(KeyOf(tuple->fields, tuple->fields.size(), axis), result);
    return result == node ? nullptr : result;
  }

 private:
  using Key = std::pair<int64_t, std::vector<ExprPtr>>;

  static Key KeyOf(const std::vector<ExprPtr>& fields, size_t count, int64_t axis) {
    return {axis, {fields.begin(), fields.begin() + static_cast<int64_t>(count)}};
  }

  static ExprPtr Grown(const Call& concat, const ExprPtr& first, const std::vector<ExprPtr>& fields, size_t count) {
    std::vector<ExprPtr> rest{first};
    rest.insert(rest.end(), fields.begin() + static_cast<int64_t>(count), fields.end());
    return TypedCall("concatenate", {TypedTuple(std::move(rest))}, concat.attrs, concat.name);
  }

  std::map<Key, ExprPtr> by_inputs_;
  std::set<size_t> lengths_;  // lengths of the keys, from two on
  std::set<ExprPtr> made_;
};

}  // namespace

relay::IRModule NestConcats(const relay::IRModule& module) {
  Nesting nesting;
  return RewriteByRules(module, {[&](const ExprPtr& node, const Uses&) { return nesting.Nested(node); }});
}

}  // namespace hone
