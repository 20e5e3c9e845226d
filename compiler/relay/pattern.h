// Patterns of expressions: they describe the part of a graph that a rewriting changes.
//
//   const Pattern x = Wildcard(), scale = IsConstant();
//   const Pattern scaled = IsCall("multiply", {x, scale}) || IsCall("multiply", {scale, x});
//   graph = RewriteMatches(graph, scaled, [&](const Match& match) { return Shift(match[x], match[scale]); });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

class Match;

// A value; copies are the same pattern. A pattern that occurs several times in another one must match the same node
// each time. Immutable, and may be shared by threads.
class Pattern {
 public:
  using Test = std::function<bool(const ExprPtr& expr, Match& match)>;
  explicit Pattern(Test test) : test_(std::make_shared<const Test>(std::move(test))) {}

  // Matches if this pattern matches and `holds` is true. The result is a different pattern from this one.
  Pattern Where(std::function<bool(const ExprPtr& expr)> holds) const;
  // Matches calls whose attribute has the value; `name` must be an attribute of the operator.
  Pattern WithAttr(std::string name, AttrValue value) const;
  // Matches expressions of that type; none before InferType.
  Pattern WithType(TypePtr type) const;

 private:
  friend class Match;
  std::shared_ptr<const Test> test_;
};

// Any expression.
Pattern Wildcard();
Pattern IsConstant();
// Any variable, or one of that name.
Pattern IsVar();
Pattern IsVar(std::string name);
// A call of the operator with any arguments, or with exactly these arguments in order. Throws Error(kBug) for an
// operator that the registry does not have, with the nearest name.
Pattern IsCall(std::string_view op);
Pattern IsCall(std::string_view op, std::vector<Pattern> args);
Pattern IsTuple(std::vector<Pattern> fields);
Pattern IsTupleGetItem(Pattern tuple, int index);
// Tries the second pattern if the first does not match.
Pattern operator||(Pattern first, Pattern second);

// The nodes that the patterns inside a pattern matched.
class Match {
 public:
  // The node that the pattern matched, or null if it was not used (another alternative matched).
  ExprPtr operator[](const Pattern& pattern) const;

  // For tests in patterns: whether the pattern matches and agrees with the node that it matched before. If not, this
  // match does not change.
  bool Try(const Pattern& pattern, const ExprPtr& expr);

 private:
  std::unordered_map<std::shared_ptr<const Pattern::Test>, ExprPtr>
      nodes_;  // holds patterns, so that no later one has the address of a dead one
};

// nullopt if the pattern does not match the expression as a whole. The recursion is as deep as the pattern, not the
// graph.
std::optional<Match> MatchPattern(const Pattern& pattern, const ExprPtr& expr);

// RewritePostOrder over each expression that the pattern matches after its children were rewritten. `rewrite` returns
// the replacement, or null to keep the expression. One pass over the graph: a replacement's content is not matched
// again. Run InferType on the result.
ExprPtr RewriteMatches(const ExprPtr& root, const Pattern& pattern,
                       const std::function<ExprPtr(const Match& match)>& rewrite);

}  // namespace hone::relay
