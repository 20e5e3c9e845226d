// Patterns of expressions: which part of a graph a rewriting is about.
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

// A value; copies are the same pattern. A pattern that stands at several places of another one matches the same node at
// each of them. Immutable, and may be shared by threads.
class Pattern {
 public:
  using Test = std::function<bool(const ExprPtr& expr, Match& match)>;
  explicit Pattern(Test test) : test_(std::make_shared<const Test>(std::move(test))) {}

  // What this one matches, and `holds` besides. The result is another pattern than this one.
  Pattern Where(std::function<bool(const ExprPtr& expr)> holds) const;
  // Calls whose attribute has the value; `name` must be an attribute of the operator to match.
  Pattern WithAttr(std::string name, AttrValue value) const;
  // Expressions of that type; none matches before InferType.
  Pattern WithType(TypePtr type) const;

 private:
  friend class Match;
  std::shared_ptr<const Test> test_;
};

// Any expression.
Pattern Wildcard();
Pattern IsConstant();
// Any variable, or those of that name.
Pattern IsVar();
Pattern IsVar(std::string name);
// A call of the operator, whatever its arguments are, or with as many that match in their order. Throws Error(kBug) for
// an operator that the registry does not have, with the nearest.
Pattern IsCall(std::string_view op);
Pattern IsCall(std::string_view op, std::vector<Pattern> args);
Pattern IsTuple(std::vector<Pattern> fields);
Pattern IsTupleGetItem(Pattern tuple, int index);
// The first of the two that matches.
Pattern operator||(Pattern first, Pattern second);

// What the patterns within a pattern stand for in an expression that it matches.
class Match {
 public:
  // The node that the pattern stands for, or null where it took no part (another alternative did).
  ExprPtr operator[](const Pattern& pattern) const;

  // For tests of patterns: whether the pattern matches, and agrees with what it stands for already. Without effect on
  // this match where the answer is no.
  bool Try(const Pattern& pattern, const ExprPtr& expr);

 private:
  std::unordered_map<std::shared_ptr<const Pattern::Test>, ExprPtr> nodes_;  // a dead pattern is no later one
};

// Nothing when the expression, as a whole, is none of the pattern's. As deep as the pattern, whatever the graph is.
std::optional<Match> MatchPattern(const Pattern& pattern, const ExprPtr& expr);

// RewritePostOrder over each expression that the pattern matches once its own children were rewritten: `rewrite` gives
// what takes its place, or null to keep it. One way through the graph: what a replacement contains is not looked at
// again. Run InferType on what comes back.
ExprPtr RewriteMatches(const ExprPtr& root, const Pattern& pattern,
                       const std::function<ExprPtr(const Match& match)>& rewrite);

}  // namespace hone::relay
