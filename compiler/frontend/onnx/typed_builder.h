// Builds Relay expressions with their types, and evaluates constant ones.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/counts.h"
#include "compiler/frontend/onnx/extents.h"
#include "compiler/relay/expr.h"

namespace hone {

// The import needs types early, for pads that depend on the input's size and for computed shapes. Not thread-safe.
class TypedBuilder {
 public:
  // With `freeze` weights are Constants; otherwise Vars whose values are in params(). `max_dim` is that of
  // OnnxImportOptions.
  explicit TypedBuilder(bool freeze, int64_t max_dim = 0) : freeze_(freeze), max_dim_(max_dim) {}
  TypedBuilder(const TypedBuilder&) = delete;
  TypedBuilder& operator=(const TypedBuilder&) = delete;

  // Later calls carry this name.
  void SetNodeName(std::string name) { node_name_ = std::move(name); }

  relay::ExprPtr Weight(Tensor value, const std::string& name);
  // A call. If all arguments are constant it is the resulting Constant, provided that it only moves elements, computes
  // elementwise or reduces a few numbers. Throws Error(kBadData) if the types do not fit, or if the result is
  // implausibly large. It throws also if a counted extent cannot pass through the operator.
  relay::ExprPtr Call(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // A call that is not folded, even if its arguments are constant, for passes that need it (scales apart from
  // integers).
  relay::ExprPtr Unfolded(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // As Call, for operators that take one tuple.
  relay::ExprPtr CallOnTuple(std::string_view op, std::vector<relay::ExprPtr> fields, relay::Attrs attrs = {});
  relay::ExprPtr Item(const relay::ExprPtr& tuple, int index);
  // A tuple of expressions that has a type.
  relay::ExprPtr TupleOf(std::vector<relay::ExprPtr> fields);
  // As Call, treating every element of the type as valid: the result has no counts.
  relay::ExprPtr Uncounted(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // Uncounted for numbers that nodes share: the call carries no node's name.
  relay::ExprPtr OfNoNode(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {});
  // The result of `make` when the key was first asked for: for numbers that nodes share. Expressions live as long as
  // the builder, so that a key may hold their addresses.
  relay::ExprPtr Once(const std::string& key, const std::function<relay::ExprPtr()>& make);
  // Uncounted for operators that take one tuple.
  relay::ExprPtr UncountedOnTuple(std::string_view op, std::vector<relay::ExprPtr> fields, relay::Attrs attrs = {});

  // The counts of the value's axes (counts.h); empty if the extents are the type's.
  const Counts& CountsOf(const relay::ExprPtr& expr) const;
  // Sets the counts of a result that has no other user; each is kept in its normal form (extents.h). A count that is
  // the type's extent in each run counts as none.
  void SetCounts(const relay::ExprPtr& expr, Counts counts);
  // Marks a state (relay/state_values.h) that the model makes longer along an axis, or writes rows of, and then keeps
  // as it is. So its bound holds for what it becomes.
  void SetAppended(const relay::ExprPtr& state, int64_t axis) { appended_[state] = axis; }
  bool Appends(const relay::ExprPtr& data, int64_t axis) const {
    const auto state = appended_.find(data);
    return state != appended_.end() && state->second == axis;
  }
  // Whether any value has counts.
  bool has_counts() const { return !counts_.empty(); }
  ExtentForms& extents() { return extents_; }
  // The upper bound of an integer of one element, if its form has one; else nullopt.
  std::optional<int64_t> BoundOf(const relay::ExprPtr& number);
  int64_t max_dim() const { return max_dim_; }
  // Makes a run fail if the count is not within [0, most].
  void RequireCount(relay::ExprPtr count, int64_t most);
  // Makes a run fail unless the two int64 scalars are equal. Throws Error(kBadData) if they cannot be.
  void RequireEqual(const relay::ExprPtr& a, const relay::ExprPtr& b);
  struct RequiredCount {
    relay::ExprPtr count;
    int64_t most = 0;
    std::string node;  // that requires it first
  };
  const std::vector<RequiredCount>& required_counts() const { return required_; }

  // Whether a run computes what is built now: an int64 scalar of 0 or 1; null: every run does. Requirements hold only
  // in runs that do.
  const relay::ExprPtr& taken() const { return taken_; }
  // The count of the branch that a run takes: one expression for equal arguments, so that extents of one branch that
  // are equal stay so.
  relay::ExprPtr ChosenCount(const relay::ExprPtr& taken, const relay::ExprPtr& count,
                             const relay::ExprPtr& other_taken, const relay::ExprPtr& other);
  // Returns what was set before.
  relay::ExprPtr SetTaken(relay::ExprPtr taken) { return std::exchange(taken_, std::move(taken)); }

  relay::TypePtr TypeOf(const relay::ExprPtr& expr) const;
  const Shape& ShapeOf(const relay::ExprPtr& expr) const { return TypeOf(expr)->shape; }
  DType DTypeOf(const relay::ExprPtr& expr) const { return TypeOf(expr)->dtype; }
  // The value if it is known at import time (a Constant or a bound parameter) and so is its extent; else null.
  const Tensor* ValueOf(const relay::ExprPtr& expr) const;

  const std::vector<std::pair<std::string, Tensor>>& params() const { return params_; }
  // The Vars of params(), in the same order.
  const std::vector<relay::ExprPtr>& param_vars() const { return param_vars_; }

  // The seed of the model's random numbers, one int64; a constant of 0 until it is set.
  const relay::ExprPtr& seed() const { return seed_; }
  void SetSeed(relay::ExprPtr seed) { seed_ = std::move(seed); }
  // A number for each node that draws random numbers: 0, 1, ...
  int64_t NextStream() { return streams_++; }

  // Accounts for `bytes` of constants that the import creates. Throws Error(kBadData) if a model asks for implausibly
  // many.
  void Spend(int64_t bytes);

 private:
  relay::TypePtr CheckedType(const relay::Call& call) const;
  relay::ExprPtr Fold(const relay::Call& call, const relay::TypePtr& type);

  bool freeze_;
  int64_t max_dim_;
  std::string node_name_;
  int64_t spent_bytes_ = 0, stored_bytes_ = 0;
  std::vector<std::pair<std::string, Tensor>> params_;
  std::vector<relay::ExprPtr> param_vars_;
  std::unordered_map<const relay::Expr*, size_t> param_index_;
  // Keyed by owner, so that no address is reused while its type is kept.
  std::unordered_map<relay::ExprPtr, relay::TypePtr> types_;
  std::unordered_map<relay::ExprPtr, Counts> counts_;
  std::unordered_map<relay::ExprPtr, int64_t> appended_;  // the axis of each
  std::unordered_map<std::string, relay::ExprPtr> once_;
  ExtentForms extents_{*this};
  std::vector<RequiredCount> required_;
  std::map<std::vector<relay::ExprPtr>, relay::ExprPtr> chosen_counts_;
  relay::ExprPtr taken_;
  relay::ExprPtr seed_ = relay::MakeConstant(Tensor(DType::kInt64, {}));
  int64_t streams_ = 0;
};

}  // namespace hone
