#include "compiler/passes/graph/cut_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "compiler/passes/graph/typed_graph.h"
#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;
using relay::TypeKind;

class Cutter {
 public:
  Cutter(const relay::IRModule& whole, const std::string& node) : order_(PostOrder(whole.main->body)) {
    for (const ExprPtr& expr : order_) {
      const Call* call = relay::AsCall(expr);
      if (call != nullptr && call->name == node) own_.insert(expr.get());
    }
    FindResults(whole.main->body);
  }

  CutNode Run(const relay::IRModule& whole) {
    if (own_.empty()) return {};
    std::vector<ExprPtr> results;
    for (const ExprPtr& expr : order_) {
      if (!results_.contains(expr.get())) continue;
      const ExprPtr result = Own(expr);
      if (result->type->kind == TypeKind::kTensor) results.push_back(result);
      for (size_t i = 0; i < result->type->fields.size(); ++i) {
        results.push_back(TypedItem(result, static_cast<int>(i)));
      }
    }
    cut_.module.name = whole.name;
    cut_.module.main = TypedFunction(params_, results.size() == 1 ? results[0] : TypedTuple(std::move(results)));
    return std::move(cut_);
  }

 private:
  // Marks the node's own values that other calls read or that the model returns.
  void FindResults(const ExprPtr& body) {
    for (const ExprPtr& expr : order_) {
      if (own_.contains(expr.get())) continue;
      for (const ExprPtr& child : ChildrenOf(expr)) {
        if (own_.contains(child.get())) results_.insert(child.get());
      }
    }
    if (own_.contains(body.get())) results_.insert(body.get());
  }

  // The expression inside the cut; a value from outside the node becomes a parameter.
  ExprPtr Own(const ExprPtr& expr) {
    const auto known = made_.find(expr.get());
    return known != made_.end() ? known->second : made_.emplace(expr.get(), Made(expr)).first->second;
  }

  ExprPtr Made(const ExprPtr& expr) {
    if (relay::AsConstant(expr) != nullptr) return expr;
    const relay::TupleGetItem* item = relay::AsTupleGetItem(expr);
    if (item != nullptr && own_.contains(item->tuple.get())) return TypedItem(Own(item->tuple), item->index);
    std::vector<ExprPtr> inside;
    if (own_.contains(expr.get())) {
      const Call& call = *relay::AsCall(expr);
      for (const ExprPtr& arg : call.args) inside.push_back(Own(arg));
      return WithArgs(call, std::move(inside));
    }
    if (expr->type->kind == TypeKind::kTensor) return Param(expr);
    const relay::Tuple* tuple = relay::AsTuple(expr);
    for (size_t i = 0; i < expr->type->fields.size(); ++i) {
      inside.push_back(tuple ? Own(tuple->fields[i]) : Param(TypedItem(expr, static_cast<int>(i))));
    }
    return TypedTuple(std::move(inside));
  }

  ExprPtr Param(const ExprPtr& stands_for) {
    params_.push_back(std::make_shared<const relay::Var>(fmt::format("operand{}", params_.size()), stands_for->type));
    cut_.operands.push_back(stands_for);
    return params_.back();
  }

  std::vector<ExprPtr> order_;
  std::unordered_set<const relay::Expr*> own_, results_;
  std::unordered_map<const relay::Expr*, ExprPtr> made_;
  std::vector<std::shared_ptr<const relay::Var>> params_;
  CutNode cut_;
};

}  // namespace

std::vector<std::string> CallNames(const relay::IRModule& module) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    const Call* call = relay::AsCall(expr);
    if (call != nullptr && !call->name.empty() && known.insert(call->name).second) names.push_back(call->name);
  }
  return names;
}

CutNode CutOut(const relay::IRModule& bound, const std::string& node) {
  CutNode cut = Cutter(bound, node).Run(bound);
  if (cut.module.main != nullptr) return cut;
  const std::vector<std::string> names = CallNames(bound);
  throw Error(ExitCode::kUsage,
              names.empty()
                  ? fmt::format("the nodes of {} have no names; those of an .onnx or .relay file have", bound.name)
                  : fmt::format("{} has no node {}{}", bound.name, node, DidYouMean(node, names)));
}

relay::IRModule OperandsModule(const relay::IRModule& bound, const CutNode& cut) {
  return WithBody(bound, TypedTuple(cut.operands));
}

}  // namespace hone
