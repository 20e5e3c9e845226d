#include "compiler/relay/pattern.h"

#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone::relay {
namespace {

bool TryAll(const std::vector<Pattern>& patterns, const std::vector<ExprPtr>& exprs, Match& match) {
  if (patterns.size() != exprs.size()) return false;
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (!match.Try(patterns[i], exprs[i])) return false;
  }
  return true;
}

// A pattern that tests only the expression itself.
Pattern Of(std::function<bool(const ExprPtr&)> holds) {
  return Pattern([holds = std::move(holds)](const ExprPtr& expr, Match&) { return holds(expr); });
}

}  // namespace

Pattern Pattern::Where(std::function<bool(const ExprPtr& expr)> holds) const {
  return Pattern([inner = *this, holds = std::move(holds)](const ExprPtr& expr, Match& match) {
    return match.Try(inner, expr) && holds(expr);
  });
}

Pattern Pattern::WithAttr(std::string name, AttrValue value) const {
  return Where([name = std::move(name), value = std::move(value)](const ExprPtr& expr) {
    const Call* call = AsCall(expr);
    const AttrValue* found = call ? call->attrs.Find(name) : nullptr;
    return found != nullptr && *found == value;
  });
}

Pattern Pattern::WithType(TypePtr type) const {
  return Where(
      [type = std::move(type)](const ExprPtr& expr) { return expr->type != nullptr && Equal(expr->type, type); });
}

Pattern Wildcard() {
  return Of([](const ExprPtr&) { return true; });
}

Pattern IsConstant() {
  return Of([](const ExprPtr& expr) { return AsConstant(expr) != nullptr; });
}

Pattern IsVar() {
  return Of([](const ExprPtr& expr) { return AsVar(expr) != nullptr; });
}

Pattern IsVar(std::string name) {
  return Of([name = std::move(name)](const ExprPtr& expr) {
    const Var* var = AsVar(expr);
    return var != nullptr && var->name == name;
  });
}

Pattern IsCall(std::string_view op) {
  return Of([node = GetOp(op)](const ExprPtr& expr) {
    const Call* call = AsCall(expr);
    return call != nullptr && call->op == node;
  });
}

Pattern IsCall(std::string_view op, std::vector<Pattern> args) {
  return Pattern([call = IsCall(op), args = std::move(args)](const ExprPtr& expr, Match& match) {
    return match.Try(call, expr) && TryAll(args, AsCall(expr)->args, match);
  });
}

Pattern IsTuple(std::vector<Pattern> fields) {
  return Pattern([fields = std::move(fields)](const ExprPtr& expr, Match& match) {
    const Tuple* tuple = AsTuple(expr);
    return tuple != nullptr && TryAll(fields, tuple->fields, match);
  });
}

Pattern IsTupleGetItem(Pattern tuple, int index) {
  return Pattern([tuple = std::move(tuple), index](const ExprPtr& expr, Match& match) {
    const TupleGetItem* item = AsTupleGetItem(expr);
    return item != nullptr && item->index == index && match.Try(tuple, item->tuple);
  });
}

Pattern operator||(Pattern first, Pattern second) {
  return Pattern([first = std::move(first), second = std::move(second)](const ExprPtr& expr, Match& match) {
    return match.Try(first, expr) || match.Try(second, expr);
  });
}

ExprPtr Match::operator[](const Pattern& pattern) const {
  const auto node = nodes_.find(pattern.test_);
  return node == nodes_.end() ? nullptr : node->second;
}

bool Match::Try(const Pattern& pattern, const ExprPtr& expr) {
  const auto known = nodes_.find(pattern.test_);
  if (known != nodes_.end()) return known->second == expr;
  Match extended = *this;
  if (!(*pattern.test_)(expr, extended)) return false;
  extended.nodes_.emplace(pattern.test_, expr);
  *this = std::move(extended);
  return true;
}

std::optional<Match> MatchPattern(const Pattern& pattern, const ExprPtr& expr) {
  Match match;
  if (!match.Try(pattern, expr)) return std::nullopt;
  return match;
}

ExprPtr RewriteMatches(const ExprPtr& root, const Pattern& pattern,
                       const std::function<ExprPtr(const Match& match)>& rewrite) {
  return RewritePostOrder(root, [&](const ExprPtr&, const ExprPtr& rebuilt) {
    const std::optional<Match> match = MatchPattern(pattern, rebuilt);
    ExprPtr replacement = match ? rewrite(*match) : nullptr;
    return replacement == nullptr ? rebuilt : replacement;
  });
}

}  // namespace hone::relay
