#include "compiler/passes/graph/typed_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {

using relay::AsCall;
using relay::AsTuple;
using relay::AsTupleGetItem;
using relay::Call;
using relay::ExprPtr;
using relay::TypePtr;

namespace {

// More steps on one node than any set of rules needs. Reaching it means that two rules undo each other, which is a bug.
constexpr int kMostRewrites = 64;

template <typename T>
ExprPtr Typed(std::shared_ptr<T> node, TypePtr type) {
  node->type = std::move(type);
  return node;
}

std::vector<TypePtr> TypesOf(const std::vector<ExprPtr>& exprs) {
  std::vector<TypePtr> types;
  for (const ExprPtr& expr : exprs) types.push_back(expr->type);
  return types;
}

ExprPtr ApplyRules(ExprPtr node, const std::vector<Rule>& rules, Uses& uses) {
  int steps = 0;
  for (size_t i = 0; i < rules.size(); ++i) {
    const ExprPtr now = rules[i](node, uses);
    if (now == nullptr || now == node) continue;
    uses.Replace(node, now);
    node = now;
    if (++steps > kMostRewrites) throw Error(ExitCode::kBug, "rewrite rules undo each other");
    i = static_cast<size_t>(-1);
  }
  return node;
}

ExprPtr ChildOf(const ExprPtr& expr, size_t i) {
  if (const Call* call = AsCall(expr)) return i < call->args.size() ? call->args[i] : nullptr;
  if (const relay::Tuple* tuple = AsTuple(expr)) return i < tuple->fields.size() ? tuple->fields[i] : nullptr;
  if (const relay::TupleGetItem* item = AsTupleGetItem(expr)) return i == 0 ? item->tuple : nullptr;
  return nullptr;
}

}  // namespace

ExprPtr TypedCall(std::string_view op_name, std::vector<ExprPtr> args, relay::Attrs attrs, std::string name) {
  const ExprPtr checked = relay::MakeCall(op_name, std::move(args), std::move(attrs), std::move(name));
  const Call& call = *AsCall(checked);
  return WithArgs(call, call.args, relay::CallType(*relay::AsOp(call.op)->def, TypesOf(call.args), call.attrs));
}

ExprPtr TypedReshape(ExprPtr data, const Shape& shape, std::string name) {
  return TypedCall("reshape", {std::move(data)}, {{"newshape", shape}}, std::move(name));
}

ExprPtr TypedCast(ExprPtr value, DType dtype, std::string name) {
  return TypedCall("cast", {std::move(value)}, {{"dtype", std::string(DTypeName(dtype))}}, std::move(name));
}

ExprPtr TypedTuple(std::vector<ExprPtr> fields) {
  TypePtr type = relay::TupleType(TypesOf(fields));
  return Typed(std::make_shared<relay::Tuple>(std::move(fields)), std::move(type));
}

ExprPtr TypedItem(ExprPtr tuple, int index) {
  TypePtr type = tuple->type->fields.at(static_cast<size_t>(index));
  return Typed(std::make_shared<relay::TupleGetItem>(std::move(tuple), index), std::move(type));
}

ExprPtr WithArgs(const Call& call, std::vector<ExprPtr> args, TypePtr type) {
  return Typed(std::make_shared<Call>(call.op, std::move(args), call.attrs, call.name), type ? type : call.type);
}

ExprPtr CallOf(relay::FunctionPtr function, std::vector<ExprPtr> args, std::string name) {
  TypePtr type = function->body->type;
  return Typed(std::make_shared<Call>(std::move(function), std::move(args), relay::Attrs{}, std::move(name)),
               std::move(type));
}

relay::FunctionPtr TypedFunction(std::vector<std::shared_ptr<const relay::Var>> params, ExprPtr body,
                                 relay::Attrs attrs, std::shared_ptr<const relay::Note> note) {
  std::vector<TypePtr> types;
  for (const auto& param : params) types.push_back(param->type);
  TypePtr type = relay::FuncType(std::move(types), body->type);
  auto function =
      std::make_shared<relay::Function>(std::move(params), std::move(body), std::move(attrs), std::move(note));
  function->type = std::move(type);
  return function;
}

relay::FunctionPtr TypedLike(const relay::Function& function, std::vector<std::shared_ptr<const relay::Var>> params,
                             ExprPtr body) {
  return TypedFunction(std::move(params), std::move(body), function.attrs, function.note);
}

relay::IRModule WithBody(const relay::IRModule& module, ExprPtr body) {
  if (body == module.main->body) return module;
  relay::IRModule changed = module;
  changed.main = TypedLike(*module.main, module.main->params, std::move(body));
  return changed;
}

const Shape& ShapeOf(const ExprPtr& expr) {
  if (expr->type == nullptr || expr->type->kind != relay::TypeKind::kTensor) {
    throw Error(ExitCode::kBug, "a tensor was expected where the graph has none");
  }
  return expr->type->shape;
}

bool IsStatic(const Shape& shape) { return std::find(shape.begin(), shape.end(), relay::kAnyDim) == shape.end(); }

Uses::Uses(const ExprPtr& root) : counts_(relay::CountUses(root)) {}

int Uses::Of(const ExprPtr& expr) const {
  const auto it = counts_.find(expr.get());
  return it == counts_.end() ? 1 : it->second;
}

void Uses::Replace(const ExprPtr& old, const ExprPtr& now) {
  if (old == now) return;
  const int old_uses = Of(old);
  const auto [it, is_new] = counts_.try_emplace(now.get(), old_uses);
  if (!is_new) it->second += old_uses - 1;
  kept_.push_back(old);
  kept_.push_back(now);
}

relay::IRModule RewriteByRules(const relay::IRModule& module, const std::vector<Rule>& rules) {
  Uses uses(module.main->body);
  return WithBody(module, relay::RewritePostOrder(module.main->body, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
                    uses.Replace(old, rebuilt);
                    return rebuilt->type == nullptr ? rebuilt : ApplyRules(rebuilt, rules, uses);
                  }));
}

std::vector<ExprPtr> ChildrenOf(const ExprPtr& expr) {
  if (const Call* call = AsCall(expr)) return call->args;
  if (const relay::Tuple* tuple = AsTuple(expr)) return tuple->fields;
  if (const relay::TupleGetItem* item = AsTupleGetItem(expr)) return {item->tuple};
  return {};
}

std::vector<ExprPtr> PostOrder(const ExprPtr& root) {
  std::vector<ExprPtr> order;
  std::unordered_set<const relay::Expr*> seen{root.get()};
  std::vector<std::pair<ExprPtr, size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    const ExprPtr child = ChildOf(stack.back().first, stack.back().second++);
    if (child == nullptr) {
      order.push_back(stack.back().first);
      stack.pop_back();
    } else if (seen.insert(child.get()).second) {
      stack.emplace_back(child, 0);
    }
  }
  return order;
}

}  // namespace hone
