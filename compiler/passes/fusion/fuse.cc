#include "compiler/passes/fusion/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/ops/attention/kernel.h"
#include "compiler/ops/op_calls.h"
#include "compiler/passes/fusion/growth.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

using Replaced = std::unordered_map<const relay::Expr*, ExprPtr>;

// Builds the primitive function of one group and the call of it.
class GroupBuilder {
 public:
  GroupBuilder(const FuseGroup& group, const Replaced& outside, bool rounds)
      : group_(group), outside_(outside), rounds_(rounds) {}

  ExprPtr Build() {
    relay::Attrs attrs{{"Primitive", int64_t{1}}};
    if (rounds_) attrs.Set("rounds", int64_t{1});
    // The anchor and its arguments come first, because the function's parameters have the order of these arguments.
    if (group_.anchor) BuildMember(group_.anchor);
    for (const ExprPtr& member : group_.members) BuildMember(member);
    const ExprPtr& body = inside_.at(group_.members.back().get());
    const std::string& name = relay::AsCall(group_.members.back())->name;
    return CallOf(TypedFunction(std::move(params_), body, std::move(attrs), NoteOf(body)), std::move(args_), name);
  }

 private:
  std::shared_ptr<const relay::Note> NoteOf(const ExprPtr& body) const {
    const auto product = [](const ExprPtr& expr) { return ReadAnchor(expr, AnchorNeighbours::kTransposes).workload; };
    if (group_.scores != nullptr) {
      auto attention = std::make_shared<Attention>();
      attention->counts_keys = group_.counts_keys;
      attention->zeroes_nan = group_.nan_guard != nullptr;
      attention->scores = product(inside_.at(group_.scores.get()));
      attention->values = product(body);
      return attention;
    }
    if (group_.anchor == nullptr) return nullptr;
    return std::make_shared<const Anchor>(ReadAnchor(body, AsAnchor(group_.anchor)->neighbours));
  }

  bool IsMember(const ExprPtr& expr) const {
    return std::find(group_.members.begin(), group_.members.end(), expr) != group_.members.end();
  }

  // The recursion is shallow, because a group has few members.
  void BuildMember(const ExprPtr& member) {
    if (inside_.contains(member.get())) return;
    const Call& call = *relay::AsCall(member);
    // Known positions stay in the kernel, which turns them into addresses.
    const auto is_table = [&](const ExprPtr& arg) { return TakesKnownPlaces(member) && arg == call.args[1]; };
    std::vector<ExprPtr> args;
    for (const ExprPtr& arg : call.args) {
      if (IsMember(arg)) BuildMember(arg);
      const bool is_known = is_table(arg) || IsNumber(arg) || IsStep(call, arg) || IsExponent(call, arg) ||
                            IsLimit(call, arg) || (member == group_.nan_guard && arg == call.args[1]);
      args.push_back(is_known ? arg : InsideArg(arg));
    }
    inside_[member.get()] = WithArgs(call, std::move(args));
  }

  ExprPtr Parameter(const ExprPtr& operand) {
    auto var = std::make_shared<relay::Var>(fmt::format("p{}", params_.size()), operand->type);
    params_.push_back(var);
    args_.push_back(operand);
    return var;
  }

  ExprPtr Inside(const ExprPtr& expr) {
    const auto known = inside_.find(expr.get());
    if (known != inside_.end()) return known->second;
    ExprPtr parameter = Parameter(outside_.at(expr.get()));
    if (!group_.anchor) inside_.emplace(expr.get(), parameter);
    return parameter;
  }

  // A scalar in an epilogue of integers is part of the kernel.
  bool IsNumber(const ExprPtr& arg) const {
    const relay::Constant* constant = relay::AsConstant(arg);
    return group_.anchor != nullptr && group_.anchor->type->dtype == DType::kInt32 && constant != nullptr &&
           constant->value.shape().empty();
  }

  // So is an exponent for all elements: most become a few products or a root.
  static bool IsExponent(const Call& call, const ExprPtr& arg) {
    const relay::Constant* constant = relay::AsConstant(arg);
    return relay::AsOp(call.op)->def->name == "power" && arg == call.args[1] && constant != nullptr &&
           constant->value.elements() == 1;
  }

  // So is a scalar that floats are compared with: beside a normal number, a denormal needs no look at its bits.
  static bool IsLimit(const Call& call, const ExprPtr& arg) {
    constexpr std::string_view kComparisons[] = {"equal",      "not_equal", "less",
                                                 "less_equal", "greater",   "greater_equal"};
    const relay::Constant* constant = relay::AsConstant(arg);
    return constant != nullptr && constant->value.elements() == 1 && constant->value.dtype() == DType::kFloat32 &&
           std::ranges::find(kComparisons, relay::AsOp(call.op)->def->name) != std::end(kComparisons);
  }

  // So is the divisor before a rounding: some machines can avoid the division then.
  bool IsStep(const Call& call, const ExprPtr& arg) const {
    if (relay::AsOp(call.op)->def->name != "divide" || arg != call.args[1]) return false;
    return std::any_of(group_.members.begin(), group_.members.end(), [&](const ExprPtr& member) {
      const auto quotient = relay::AsRoundedQuotient(*relay::AsCall(member));
      return quotient && quotient->division == &call;
    });
  }

  // A tuple becomes one parameter per field, because kernels take only tensors.
  ExprPtr InsideArg(const ExprPtr& arg) {
    if (arg->type->kind != relay::TypeKind::kTuple) return Inside(arg);
    std::vector<ExprPtr> fields;
    const relay::Tuple* tuple = relay::AsTuple(arg);
    for (size_t i = 0; i < arg->type->fields.size(); ++i) {
      fields.push_back(tuple ? Inside(tuple->fields[i])
                             : Parameter(TypedItem(outside_.at(arg.get()), static_cast<int>(i))));
    }
    return TypedTuple(std::move(fields));
  }

  const FuseGroup& group_;
  const Replaced& outside_;
  const bool rounds_;
  Replaced inside_;
  std::vector<std::shared_ptr<const relay::Var>> params_;
  std::vector<ExprPtr> args_;
};

ExprPtr Rebuilt(const ExprPtr& expr, const Grouping& grouping, const Replaced& replaced, bool rounds) {
  if (const FuseGroup* group = grouping.EndingAt(expr)) return GroupBuilder(*group, replaced, rounds).Build();
  if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
    return TypedItem(replaced.at(item->tuple.get()), item->index);
  }
  const relay::Tuple* tuple = relay::AsTuple(expr);
  if (tuple == nullptr) return expr;
  std::vector<ExprPtr> fields;
  for (const ExprPtr& field : tuple->fields) fields.push_back(replaced.at(field.get()));
  return TypedTuple(std::move(fields));
}

}  // namespace

UserMap::UserMap(const std::vector<ExprPtr>& post_order, const ExprPtr& root) : order(post_order), result(root) {
  for (const ExprPtr& expr : order) {
    position.emplace(expr.get(), position.size());
    for (const ExprPtr& child : ChildrenOf(expr)) users[child.get()].push_back(expr);
  }
}

ExprPtr UserMap::OnlyUser(const ExprPtr& node) const {
  const auto it = users.find(node.get());
  return it != users.end() && it->second.size() == 1 && node != result ? it->second[0] : nullptr;
}

void Grouping::Add(FuseGroup group) {
  for (const ExprPtr& member : group.members) group_of_.emplace(member.get(), groups_.size());
  groups_.push_back(std::move(group));
}

const FuseGroup* Grouping::EndingAt(const ExprPtr& call) const {
  const auto it = group_of_.find(call.get());
  if (it == group_of_.end() || groups_[it->second].members.back() != call) return nullptr;
  return &groups_[it->second];
}

relay::IRModule Fuse(const relay::IRModule& module, const FuseOptions& options) {
  const ExprPtr& body = module.main->body;
  const UserMap users(PostOrder(body), body);
  Grouping grouping;
  if (options.groups) GroupAttention(users, options.least_scores_bytes, grouping);
  GroupAnchors(users, options.groups, grouping);
  GroupGeneric(users, options, grouping);
  const bool rounds = std::any_of(users.order.begin(), users.order.end(),
                                  [](const ExprPtr& expr) { return relay::AsCallTo(expr, "round") != nullptr; });
  Replaced replaced;
  for (const ExprPtr& expr : users.order) {
    const bool is_inner = relay::AsCall(expr) != nullptr && grouping.EndingAt(expr) == nullptr;
    if (!is_inner) replaced.emplace(expr.get(), Rebuilt(expr, grouping, replaced, rounds));
  }
  return WithBody(module, replaced.at(body.get()));
}

}  // namespace hone
