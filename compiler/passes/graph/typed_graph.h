// Building and rewriting typed expressions, for all passes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The builders of relay/expr.h with the type filled in; the arguments must have types.
relay::ExprPtr TypedCall(std::string_view op_name, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {},
                         std::string name = "");
relay::ExprPtr TypedReshape(relay::ExprPtr data, const Shape& shape, std::string name = "");
relay::ExprPtr TypedCast(relay::ExprPtr value, DType dtype, std::string name = "");
relay::ExprPtr TypedTuple(std::vector<relay::ExprPtr> fields);
relay::ExprPtr TypedItem(relay::ExprPtr tuple, int index);
// The call with other arguments and, if given, another type. The new arguments have the same meaning in another place
// or layout.
relay::ExprPtr WithArgs(const relay::Call& call, std::vector<relay::ExprPtr> args, relay::TypePtr type = nullptr);
// A call of a function (not of an operator); its type is the type of the function's body.
relay::ExprPtr CallOf(relay::FunctionPtr function, std::vector<relay::ExprPtr> args, std::string name = "");
// A function with its type; parameters and body must have types.
relay::FunctionPtr TypedFunction(std::vector<std::shared_ptr<const relay::Var>> params, relay::ExprPtr body,
                                 relay::Attrs attrs = {}, std::shared_ptr<const relay::Note> note = nullptr);
// The function with other parameters and another body, as by relay::WithFields, with its type.
relay::FunctionPtr TypedLike(const relay::Function& function, std::vector<std::shared_ptr<const relay::Var>> params,
                             relay::ExprPtr body);
relay::IRModule WithBody(const relay::IRModule& module, relay::ExprPtr body);

// The tensor shape of a typed expression. Throws Error(kBug) for a tuple.
const Shape& ShapeOf(const relay::ExprPtr& expr);

// Whether every dim is known.
bool IsStatic(const Shape& shape);

// Number of uses of each node. A node that a rule has just made inside a replacement counts as used once.
class Uses {
 public:
  explicit Uses(const relay::ExprPtr& root);
  int Of(const relay::ExprPtr& expr) const;
  // `now` replaces `old`.
  void Replace(const relay::ExprPtr& old, const relay::ExprPtr& now);

 private:
  std::unordered_map<const relay::Expr*, int> counts_;
  std::vector<relay::ExprPtr> kept_;  // keeps nodes alive, so that no address is reused for another node
};

// Replacement for a node whose children are already replaced, or null to keep it.
using Rule = std::function<relay::ExprPtr(const relay::ExprPtr& node, const Uses& uses)>;
// Tries the rules on each node in post order, and again on a rule's result, until none applies.
relay::IRModule RewriteByRules(const relay::IRModule& module, const std::vector<Rule>& rules);

// The arguments of a call, the fields of a tuple, or the tuple that an item is taken from; else empty.
std::vector<relay::ExprPtr> ChildrenOf(const relay::ExprPtr& expr);

// Every Var, Constant, Call, Tuple and TupleGetItem reachable from `root`, each after its arguments. Called functions
// are not entered.
std::vector<relay::ExprPtr> PostOrder(const relay::ExprPtr& root);

}  // namespace hone
