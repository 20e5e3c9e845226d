#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/narrow_weights.h"
#include "compiler/relay/half_types.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::OpPattern;

namespace {

// A constant of fewer elements takes no room worth saving.
constexpr int64_t kLeastConstant = 1024;

bool IsWide(const relay::TypePtr& type) {
  if (type->kind == relay::TypeKind::kTuple) return std::ranges::all_of(type->fields, IsWide);
  return type->kind == relay::TypeKind::kTensor && type->dtype == DType::kFloat32;
}

// The input whose element type the rule repeats, perhaps through other inputs; -1 if it names types itself.
int LikeWhich(const relay::OpDef& def, const relay::ElementRule& rule) {
  if (rule.input() < 0 || !rule.types().empty()) return -1;
  const int further = LikeWhich(def, def.inputs.at(static_cast<size_t>(rule.input())).types);
  return further < 0 ? rule.input() : further;
}

// Whether attributes let the call compute with elements, or give it one that the type does not hold.
bool Computes(const Call& call, const relay::OpDef& def, DType half) {
  if (def.name == "scatter_elements") return call.attrs.GetString("reduction", "update") != "update";
  if (def.name == "scatter_nd") return call.attrs.GetString("mode", "update") != "update";
  if (def.name != "nn.pad") return false;
  const double border = call.attrs.GetFloat("pad_value", 0);
  Tensor held(half, {});
  held.Set(0, border);
  return held.At(0) != border;
}

// The arguments whose elements a call moves without a look at them; empty if it computes. An operator that takes the
// type and gives it back can do nothing else with it.
std::vector<ExprPtr> MovedBy(const Call& call, DType half) {
  const relay::Op* op = relay::AsOp(call.op);
  if (op == nullptr || op->def->pattern == OpPattern::kAnchor || Computes(call, *op->def, half)) return {};
  const relay::OpDef& def = *op->def;
  const int moved = LikeWhich(def, def.results.at(0).types);
  if (moved < 0 || !def.inputs[static_cast<size_t>(moved)].types.types().Has(half)) return {};
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < std::min(call.args.size(), def.inputs.size()); ++i) {
    if (static_cast<int>(i) == moved || LikeWhich(def, def.inputs[i].types) == moved) args.push_back(call.args[i]);
  }
  return args;
}

bool IsPointwiseOperator(const ExprPtr& expr) {
  const relay::OpDef* def = DefOf(expr);
  return def != nullptr && def->pattern <= OpPattern::kBroadcast;
}

// Whether one kernel does the move and what the reader computes, as long as both are of float32.
bool SharesKernel(const ExprPtr& move, const ExprPtr& reader) {
  const Call* transpose = AsTranspose(move);
  if (transpose != nullptr && IsPointwiseOperator(reader)) {
    return TransposeAxes(*transpose).back() + 1 == static_cast<int64_t>(ShapeOf(move).size());
  }
  const relay::OpDef& def = *DefOf(move);
  return def.traits.heads || def.name == "reshape";
}

// Whether it is a product, or a product and its bias.
bool EndsAnchor(const ExprPtr& expr) {
  const Call* bias = relay::AsCallTo(expr, "nn.bias_add");
  return AsAnchor(bias != nullptr ? bias->args[0] : expr) != nullptr;
}

class HalfStorer {
 public:
  HalfStorer(const ExprPtr& body, DType half) : users_(PostOrder(body), body), body_(body), half_(half) {}

  ExprPtr Run() {
    Choose();
    for (const ExprPtr& expr : users_.order) Rewrite(expr);
    return Wide(body_);
  }

 private:
  bool IsWidening(const ExprPtr& expr) const {
    const Call* cast = relay::AsCallTo(expr, "cast");
    return cast != nullptr && IsWide(expr->type) && cast->args[0]->type->dtype == half_;
  }
  bool IsNarrowing(const ExprPtr& expr) const {
    const Call* cast = relay::AsCallTo(expr, "cast");
    return cast != nullptr && expr->type->dtype == half_ && IsWide(cast->args[0]->type);
  }

  // Values that the expression moves: arguments of a call, fields of a tuple, the tuple of an item. Empty if it
  // computes.
  std::vector<ExprPtr> Moved(const ExprPtr& expr) const {
    if (!IsWide(expr->type)) return {};
    const Call* call = relay::AsCall(expr);
    return call != nullptr ? MovedBy(*call, half_) : ChildrenOf(expr);
  }

  // Begins with every move and drops those that cannot or need not be of the type, until the rest agree.
  void Choose() {
    for (const ExprPtr& expr : users_.order) {
      if (!Moved(expr).empty()) chosen_.insert(expr.get());
      if (IsExactMove(expr)) exact_.insert(expr.get());
    }
    for (auto it = users_.order.rbegin(); it != users_.order.rend(); ++it) {
      if (IsRoundedByAll(*it)) rounded_.insert(it->get());
    }
    const auto drops = [&](const ExprPtr& expr) {
      return IsChosen(expr) && !Stays(expr) && chosen_.erase(expr.get()) > 0;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const ExprPtr& expr : users_.order) changed = drops(expr) || changed;
      for (auto it = users_.order.rbegin(); it != users_.order.rend(); ++it) changed = drops(*it) || changed;
    }
  }

  // Whether all that is moved has numbers of the type.
  bool IsExactMove(const ExprPtr& expr) {
    const std::vector<ExprPtr> moved = Moved(expr);
    return !moved.empty() && std::ranges::all_of(moved, [&](const ExprPtr& arg) {
      return IsWidening(arg) || exact_.contains(arg.get()) || Narrowed(arg) != nullptr;
    });
  }

  // Whether all readers round what is moved to the type, perhaps after further moves.
  bool IsRoundedByAll(const ExprPtr& expr) const {
    const std::vector<ExprPtr>& readers = ReadersOf(expr);
    return chosen_.contains(expr.get()) && expr != body_ && !readers.empty() &&
           std::ranges::all_of(
               readers, [&](const ExprPtr& reader) { return IsNarrowing(reader) || rounded_.contains(reader.get()); });
  }

  bool Stays(const ExprPtr& expr) {
    const std::vector<ExprPtr> moved = Moved(expr);
    if (exact_.contains(expr.get())) {
      return std::ranges::all_of(moved, [&](const ExprPtr& arg) { return IsReady(arg); }) && Gains(expr) &&
             std::ranges::any_of(moved, IsWorthAMove);
    }
    return rounded_.contains(expr.get()) && IsTakenByAll(expr) &&
           std::ranges::all_of(moved, [&](const ExprPtr& arg) { return IsReady(arg) || IsRoundedFor(arg); });
  }

  static bool IsWorthAMove(const ExprPtr& value) {
    const relay::Constant* constant = relay::AsConstant(value);
    return constant == nullptr || constant->value.elements() >= kLeastConstant;
  }

  bool IsChosen(const ExprPtr& expr) const { return chosen_.contains(expr.get()); }

  // Whether the value is at hand as numbers of the type.
  bool IsReady(const ExprPtr& value) { return IsWidening(value) || IsChosen(value) || Narrowed(value) != nullptr; }

  // Whether the kernel that computes the value can round it for its only reader.
  bool IsRoundedFor(const ExprPtr& value) const {
    const relay::OpDef* def = DefOf(value);
    return def != nullptr && value->type->kind == relay::TypeKind::kTensor && IsWide(value->type) &&
           def->pattern != OpPattern::kAnchor && Moved(value).empty() && users_.OnlyUser(value) != nullptr;
  }

  // The constant in the type; null if the type does not hold its numbers, or if the value is computed.
  ExprPtr Narrowed(const ExprPtr& value) {
    const relay::Constant* constant = relay::AsConstant(value);
    if (constant == nullptr || !IsWide(value->type)) return nullptr;
    const auto [it, is_new] = narrowed_.try_emplace(constant);
    if (!is_new) return it->second;
    if (std::optional<Tensor> exact = ExactAs(constant->value, half_)) {
      it->second = relay::MakeConstant(std::move(*exact), constant->name);
    }
    return it->second;
  }

  const std::vector<ExprPtr>& ReadersOf(const ExprPtr& value) const {
    static const std::vector<ExprPtr> none;
    const auto readers = users_.users.find(value.get());
    return readers == users_.users.end() ? none : readers->second;
  }
  bool Takes(const ExprPtr& reader) const { return IsNarrowing(reader) || IsChosen(reader); }
  bool IsTakenByAll(const ExprPtr& value) const {
    const std::vector<ExprPtr>& readers = ReadersOf(value);
    return value != body_ && !readers.empty() &&
           std::ranges::all_of(readers, [&](const ExprPtr& reader) { return Takes(reader); });
  }

  // Whether less memory is moved if the value is of the type. A tuple only stands between others.
  bool Gains(const ExprPtr& value) const {
    const std::vector<ExprPtr>& readers = ReadersOf(value);
    if (relay::AsCall(value) == nullptr || value->type->kind == relay::TypeKind::kTuple) return IsTakenByAll(value);
    return std::ranges::any_of(readers, [&](const ExprPtr& reader) { return Takes(reader); }) ||
           std::ranges::none_of(readers, [&](const ExprPtr& reader) { return SharesKernel(value, reader); });
  }

  // The new form of the old expression in the type; it must be ready, or computed and rounded.
  ExprPtr Half(const ExprPtr& old) {
    if (const auto half = stored_.find(old.get()); half != stored_.end()) return half->second;
    if (ExprPtr constant = Narrowed(old)) return constant;
    return TypedCast(Wide(old), half_);
  }

  // The new form of the old expression as float32, if it was that.
  ExprPtr Wide(const ExprPtr& old) {
    ExprPtr& wide = now_[old.get()];
    if (wide == nullptr) wide = TypedCast(stored_.at(old.get()), DType::kFloat32);
    return wide;
  }

  void Rewrite(const ExprPtr& old) {
    if (IsChosen(old)) {
      stored_[old.get()] = Stored(old);
      return;
    }
    const Call* call = relay::AsCall(old);
    if (call != nullptr && IsNarrowing(old) && IsReady(call->args[0])) {
      now_[old.get()] = Half(call->args[0]);
      return;
    }
    now_[old.get()] = Rewritten(old);
    if (IsWidening(old)) stored_[old.get()] = Wide(call->args[0]);
  }

  ExprPtr Stored(const ExprPtr& old) {
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(old)) return TypedItem(Half(item->tuple), item->index);
    const Call* call = relay::AsCall(old);
    const std::vector<ExprPtr> moved = Moved(old);
    std::vector<ExprPtr> args;
    for (const ExprPtr& arg : ChildrenOf(old)) {
      args.push_back(std::ranges::find(moved, arg) != moved.end() ? Half(arg) : Wide(arg));
    }
    if (call == nullptr) return TypedTuple(std::move(args));
    return TypedCall(relay::AsOp(call->op)->def->name, std::move(args), call->attrs, call->name);
  }

  // Computes the same of new arguments.
  ExprPtr Rewritten(const ExprPtr& old) {
    const std::vector<ExprPtr> children = ChildrenOf(old);
    std::vector<ExprPtr> args;
    for (const ExprPtr& child : children) args.push_back(ReadBy(old, child));
    if (args == children) return old;
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(old)) return TypedItem(args[0], item->index);
    const Call* call = relay::AsCall(old);
    return call != nullptr ? WithArgs(*call, std::move(args)) : TypedTuple(std::move(args));
  }

  // Elementwise operators widen within their kernels, what one such kernel reads alone.
  ExprPtr ReadBy(const ExprPtr& reader, const ExprPtr& value) {
    const bool fuses =
        IsPointwiseOperator(reader) && IsWide(reader->type) && IsWide(value->type) && ShapeOf(reader) == ShapeOf(value);
    if (fuses && IsChosen(value)) return TypedCast(stored_.at(value.get()), DType::kFloat32);
    const relay::Constant* constant = relay::AsConstant(value);
    if (!fuses || constant == nullptr || constant->value.elements() < kLeastConstant) return Wide(value);
    const bool alone = std::ranges::none_of(ChildrenOf(reader), EndsAnchor);
    const ExprPtr narrowed = alone ? Narrowed(value) : nullptr;
    return narrowed == nullptr ? value : TypedCast(narrowed, DType::kFloat32);
  }

  UserMap users_;
  ExprPtr body_;
  DType half_;
  std::unordered_set<const relay::Expr*> chosen_;                 // moves of the type
  std::unordered_set<const relay::Expr*> exact_, rounded_;        // by what is moved, and by the readers
  std::unordered_map<const relay::Constant*, ExprPtr> narrowed_;  // null for those that stay
  std::unordered_map<const relay::Expr*, ExprPtr> now_, stored_;  // new forms: as the old type, and as the half type
};

}  // namespace

relay::IRModule StoreHalves(const relay::IRModule& module) {
  ExprPtr body = module.main->body;
  for (const DType half : relay::HalfTypesOf(*module.main)) body = HalfStorer(body, half).Run();
  return body == module.main->body ? module : WithBody(module, body);
}

}  // namespace hone
