// Builds Relay expressions whose types are known at once, and computes those that are constant.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/counts.h"
#include "compiler/relay/expr.h"

namespace hone {

// Importing needs types early: pads that depend on the input's size, shapes that the model computes. Not thread-safe.
class TypedBuilder {
 public:
  // With `freeze` weights are Constants, else Vars whose values are in params(). `max_dim`: of OnnxImportOptions.
  explicit TypedBuilder(bool freeze, int64_t max_dim = 0) : freeze_(freeze), max_dim_(max_dim) {}

  // Calls made from now on carry this name.
  void SetNodeName(std::string name) { node_name_ = std::move(name); }

  relay::ExprPtr Weight(Tensor value, const std::string& name);
  // A call, or the Constant it comes to when all its arguments are constant and moving, elementwise arithmetic or
  // reducing a few numbers is all it does. Throws Error(kBadData) when the types do not fit or the result is too large
  // to be real, or when an extent that is counted in a run does not go through the operator.
  relay::ExprPtr Call(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // A call that stays one when its arguments are constant: what a pass wants to see (scales apart from integers).
  relay::ExprPtr Unfolded(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // Call for operators that take one tuple.
  relay::ExprPtr CallOnTuple(std::string_view op, std::vector<relay::ExprPtr> fields, relay::Attrs attrs = {});
  relay::ExprPtr Item(const relay::ExprPtr& tuple, int index);
  // Call as if all that types hold were there: the result has no counts.
  relay::ExprPtr Uncounted(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // The same for operators that take one tuple.
  relay::ExprPtr UncountedOnTuple(std::string_view op, std::vector<relay::ExprPtr> fields, relay::Attrs attrs = {});

  // How far the value's axes go (counts.h); empty: as far as its type says.
  const Counts& CountsOf(const relay::ExprPtr& expr) const;
  // Of a result that nobody else has. Counts that are all null are none.
  void SetCounts(const relay::ExprPtr& expr, Counts counts);
  // The most that an int64 can be, where a count, or the lesser of two, tells; nothing where that is not known.
  std::optional<int64_t> BoundOf(const relay::ExprPtr& number) const;
  int64_t max_dim() const { return max_dim_; }
  // A run in which the count is not within [0, most] fails.
  void RequireCount(relay::ExprPtr count, int64_t most) { required_.emplace_back(std::move(count), most); }
  const std::vector<std::pair<relay::ExprPtr, int64_t>>& required_counts() const { return required_; }

  relay::TypePtr TypeOf(const relay::ExprPtr& expr) const;
  const Shape& ShapeOf(const relay::ExprPtr& expr) const { return TypeOf(expr)->shape; }
  DType DTypeOf(const relay::ExprPtr& expr) const { return TypeOf(expr)->dtype; }
  // The value when it is known at import time (a Constant, or a bound parameter), else null; with its extent.
  const Tensor* ValueOf(const relay::ExprPtr& expr) const;

  const std::vector<std::pair<std::string, Tensor>>& params() const { return params_; }
  // The Vars of params(), in the same order.
  const std::vector<relay::ExprPtr>& param_vars() const { return param_vars_; }

  // Accounts for `bytes` that are made from nothing. Throws Error(kBadData) when a model asks for more than is sane.
  void Spend(int64_t bytes);

 private:
  relay::ExprPtr TupleOf(std::vector<relay::ExprPtr> fields);
  relay::TypePtr CheckedType(const relay::Call& call) const;
  relay::ExprPtr Fold(const relay::Call& call, const relay::TypePtr& type);

  bool freeze_;
  int64_t max_dim_;
  std::string node_name_;
  int64_t spent_bytes_ = 0, stored_bytes_ = 0;
  std::vector<std::pair<std::string, Tensor>> params_;
  std::vector<relay::ExprPtr> param_vars_;
  std::unordered_map<const relay::Expr*, size_t> param_index_;
  // Keyed by owner, so that an address is not used again while its type is kept.
  std::unordered_map<relay::ExprPtr, relay::TypePtr> types_;
  std::unordered_map<relay::ExprPtr, Counts> counts_;
  std::unordered_map<relay::ExprPtr, int64_t> bounds_;  // of counts
  std::vector<std::pair<relay::ExprPtr, int64_t>> required_;
};

}  // namespace hone
