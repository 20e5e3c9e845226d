#include "compiler/relay/visitor.h"

#include <unordered_set>
#include <utility>

namespace hone::relay {
namespace {

// Child number `i` in visiting order, or null past the last.
ExprPtr Child(const Expr& expr, size_t i) {
  switch (expr.kind) {
    case ExprKind::kCall: {
      const auto& call = static_cast<const Call&>(expr);
      if (i == 0) return call.op;
      return i <= call.args.size() ? call.args[i - 1] : nullptr;
    }
    case ExprKind::kTuple: {
      const auto& tuple = static_cast<const Tuple&>(expr);
      return i < tuple.fields.size() ? tuple.fields[i] : nullptr;
    }
    case ExprKind::kTupleGetItem:
      return i == 0 ? static_cast<const TupleGetItem&>(expr).tuple : nullptr;
    case ExprKind::kFunction: {
      const auto& function = static_cast<const Function&>(expr);
      if (i < function.params.size()) return function.params[i];
      return i == function.params.size() ? function.body : nullptr;
    }
    default:
      return nullptr;
  }
}

using Goes = std::function<bool(const Expr&)>;

// `enters` says whether the walk goes on to a node's children.
void Walk(const ExprPtr& root, const Goes& enters, const std::function<void(const ExprPtr&)>& visit) {
  struct Frame {
    ExprPtr expr;
    size_t next = 0;
  };
  std::unordered_set<const Expr*> seen{root.get()};
  std::vector<Frame> stack;
  stack.push_back({root});
  while (!stack.empty()) {
    Frame& top = stack.back();
    ExprPtr child = enters(*top.expr) ? Child(*top.expr, top.next++) : nullptr;
    if (child == nullptr) {
      const ExprPtr done = std::move(top.expr);
      stack.pop_back();
      visit(done);
    } else if (seen.insert(child.get()).second) {
      stack.push_back({std::move(child)});
    }
  }
}

using Replacements = std::unordered_map<const Expr*, ExprPtr>;

std::vector<ExprPtr> Replaced(const std::vector<ExprPtr>& exprs, const Replacements& replacements) {
  std::vector<ExprPtr> result;
  result.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) result.push_back(replacements.at(expr.get()));
  return result;
}

template <typename T>
ExprPtr WithType(std::shared_ptr<T> node, const Expr& old) {
  node->type = old.type;
  return node;
}

ExprPtr RebuiltCall(const ExprPtr& expr, const Replacements& replacements) {
  const Call& call = *AsCall(expr);
  ExprPtr op = replacements.at(call.op.get());
  std::vector<ExprPtr> args = Replaced(call.args, replacements);
  if (op == call.op && args == call.args) return expr;
  return WithType(std::make_shared<Call>(std::move(op), std::move(args), call.attrs, call.name), call);
}

ExprPtr RebuiltTuple(const ExprPtr& expr, const Replacements& replacements) {
  const Tuple& tuple = *AsTuple(expr);
  std::vector<ExprPtr> fields = Replaced(tuple.fields, replacements);
  if (fields == tuple.fields) return expr;
  return WithType(std::make_shared<Tuple>(std::move(fields)), tuple);
}

ExprPtr RebuiltItem(const ExprPtr& expr, const Replacements& replacements) {
  const TupleGetItem& item = *AsTupleGetItem(expr);
  ExprPtr tuple = replacements.at(item.tuple.get());
  if (tuple == item.tuple) return expr;
  return WithType(std::make_shared<TupleGetItem>(std::move(tuple), item.index), item);
}

ExprPtr RebuiltFunction(const ExprPtr& expr, const Replacements& replacements) {
  const Function& function = *AsFunction(expr);
  std::vector<std::shared_ptr<const Var>> params;
  for (const auto& param : function.params) {
    const ExprPtr& now = replacements.at(param.get());
    if (AsVar(now) != nullptr) params.push_back(std::static_pointer_cast<const Var>(now));
  }
  ExprPtr body = replacements.at(function.body.get());
  if (params == function.params && body == function.body) return expr;
  return WithType(WithFields(function, std::move(params), std::move(body)), function);
}

ExprPtr Rebuilt(const ExprPtr& expr, const Replacements& replacements) {
  switch (expr->kind) {
    case ExprKind::kCall:
      return RebuiltCall(expr, replacements);
    case ExprKind::kTuple:
      return RebuiltTuple(expr, replacements);
    case ExprKind::kTupleGetItem:
      return RebuiltItem(expr, replacements);
    case ExprKind::kFunction:
      return RebuiltFunction(expr, replacements);
    default:
      return expr;
  }
}

}  // namespace

void PostOrderVisit(const ExprPtr& root, const std::function<void(const ExprPtr&)>& visit) {
  Walk(root, [](const Expr&) { return true; }, visit);
}

ExprPtr RewritePostOrder(const ExprPtr& root, const Rewrite& rewrite) {
  Replacements replacements;
  const auto is_inner_function = [&](const Expr& expr) {
    return expr.kind == ExprKind::kFunction && &expr != root.get();
  };
  Walk(
      root, [&](const Expr& expr) { return !is_inner_function(expr); },
      [&](const ExprPtr& old) {
        const ExprPtr rebuilt = is_inner_function(*old) ? old : Rebuilt(old, replacements);
        replacements.emplace(old.get(), rewrite(old, rebuilt));
      });
  return replacements.at(root.get());
}

std::unordered_map<const Expr*, int> CountUses(const ExprPtr& root) {
  std::unordered_map<const Expr*, int> uses;
  uses[root.get()] = 1;
  PostOrderVisit(root, [&](const ExprPtr& expr) {
    // A parameter list declares variables and does not use them.
    const size_t first = expr->kind == ExprKind::kFunction ? AsFunction(expr)->params.size() : 0;
    for (size_t i = first;; ++i) {
      const ExprPtr child = Child(*expr, i);
      if (child == nullptr) break;
      ++uses[child.get()];
    }
  });
  return uses;
}

}  // namespace hone::relay
