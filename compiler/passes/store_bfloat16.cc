#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::OpPattern;

namespace {

// Whether the operator moves elements without changing them.
bool Moves(const relay::OpDef& def) { return def.traits.moves && def.pattern == OpPattern::kInjective; }

bool KeepsFloat32(const Call& product) { return product.attrs.GetBool("keep_float32"); }

// Whether it is a product with constant weights for which bfloat16 kernels exist.
bool TakesBFloat(const ExprPtr& expr) {
  if (AsAnchor(expr) == nullptr) return false;
  const Call& product = *relay::AsCall(expr);
  const std::string& name = relay::AsOp(product.op)->def->name;
  return (name == "nn.conv2d" || name == "nn.dense") && !product.attrs.GetBool("integral") && !KeepsFloat32(product) &&
         relay::IsKernelFloat(product.args[0]->type->dtype) && relay::AsConstant(product.args[1]) != nullptr;
}

// Whether it is a product of two computed matrices whose rows are made of pairs, as bfloat16 kernels require.
// Transposes that fuse into it later leave the last axis in place.
bool IsComputedProduct(const ExprPtr& expr) {
  const Call* product = relay::AsCallTo(expr, "nn.batch_matmul");
  if (product == nullptr || AsAnchor(expr) == nullptr || product->attrs.GetBool("integral") || KeepsFloat32(*product)) {
    return false;
  }
  const Shape& data = ShapeOf(product->args[0]);
  return !product->attrs.GetBool("transpose_a") && data[2] % 2 == 0 &&
         std::all_of(product->args.begin(), product->args.end(), [](const ExprPtr& arg) {
           return relay::AsCall(arg) != nullptr && relay::IsKernelFloat(arg->type->dtype);
         });
}

// Whether the channels of a group are even in number: two neighbours along the sum form one step.
bool HasPairs(const Call& product) {
  const Shape& weight = ShapeOf(product.args[1]);
  const bool grouped = weight.size() == 2 || product.attrs.GetInt("groups", 1) > 1;
  return !grouped || weight[1] % 2 == 0;
}

// Whether conv2d_winograd accepts it.
bool SuitsWinograd(const Call& product) {
  constexpr int64_t kLeastChannels = 8;
  const Shape& weight = ShapeOf(product.args[1]);
  const std::array<int64_t, 2> one{1, 1};
  return weight.size() == 4 && weight[1] >= kLeastChannels && weight[2] == 3 && weight[3] == 3 &&
         product.attrs.GetInt("groups", 1) == 1 && Pair(product.attrs, "strides") == one &&
         Pair(product.attrs, "dilation") == one;
}

class BFloatStorer {
 public:
  BFloatStorer(const ExprPtr& body, const BFloatOptions& options)
      : users_(PostOrder(body), body), body_(body), options_(options) {}

  ExprPtr Run() {
    // Visits readers before the values they read, because a value's use follows from theirs.
    for (auto it = users_.order.rbegin(); it != users_.order.rend(); ++it) {
      wanted_[it->get()] = IsWanted(*it);
      chain_stored_[it->get()] = Wanted(*it) || IsChainStored(*it);
    }
    for (const ExprPtr& expr : users_.order) Rewrite(expr);
    return Value(body_);
  }

 private:
  bool Wanted(const ExprPtr& expr) const { return wanted_.at(expr.get()); }

  // Whether some reader gains by reading the value as bfloat16.
  bool IsWanted(const ExprPtr& value) const {
    const auto readers = users_.users.find(value.get());
    if (readers == users_.users.end() || IsResult(value)) return false;
    return std::any_of(readers->second.begin(), readers->second.end(),
                       [&](const ExprPtr& reader) { return Gains(reader, value); });
  }

  bool IsResult(const ExprPtr& value) const {
    if (value == body_) return true;
    const relay::Tuple* results = relay::AsTuple(body_);
    return results != nullptr &&
           std::find(results->fields.begin(), results->fields.end(), value) != results->fields.end();
  }

  bool Gains(const ExprPtr& reader, const ExprPtr& value) const {
    if (relay::AsTuple(reader) != nullptr) return Wanted(reader);
    const relay::OpDef* def = DefOf(reader);
    if (def == nullptr) return false;
    const Call& call = *relay::AsCall(reader);
    if (IsComputedProduct(reader)) return !IsResult(call.args[0]) && !IsResult(call.args[1]);
    if (def->pattern == OpPattern::kAnchor) return TakesBFloat(reader) && call.args[0] == value;
    if (def->name == "add") return EndsStored(reader) && IsEarlierSummand(call, value);
    if (Moves(*def) || JoinsFields(*def) || def->traits.heads) return Wanted(reader);
    const bool in_memory = users_.OnlyUser(value) == nullptr || EndsProduct(value, reader);
    return in_memory && IsPointwise(*def) && chain_stored_.at(reader.get());
  }

  // Whether the value is the last that a product's kernel computes: a sum behind the product, read by no activation.
  bool EndsProduct(const ExprPtr& value, const ExprPtr& reader) const {
    const Call* add = relay::AsCallTo(value, "add");
    Epilogue unused;
    if (add == nullptr || SetActivation(reader, unused)) return false;
    const bool first = IsEarlierSummand(*add, add->args[1]);
    const ExprPtr& later = add->args[first ? 0 : 1];
    const Call* bias = relay::AsCallTo(later, "nn.bias_add");
    return AsAnchor(bias != nullptr ? bias->args[0] : later) != nullptr && users_.OnlyUser(later) != nullptr;
  }

  static bool IsPointwise(const relay::OpDef& def) {
    return def.pattern == OpPattern::kElementwise || def.pattern == OpPattern::kBroadcast;
  }

  // Whether one kernel computes and stores something elementwise from the value. A value with one reader is part of
  // that kernel; one with several readers lies in memory itself.
  bool IsChainStored(const ExprPtr& value) const {
    const ExprPtr reader = users_.OnlyUser(value);
    const relay::OpDef* def = reader != nullptr ? DefOf(reader) : nullptr;
    return def != nullptr && IsPointwise(*def) && chain_stored_.at(reader.get());
  }

  // Whether the value, or an activation that is its only reader, is stored as bfloat16.
  bool EndsStored(const ExprPtr& value) const {
    if (Wanted(value)) return true;
    const ExprPtr reader = users_.OnlyUser(value);
    Epilogue unused;
    return reader != nullptr && SetActivation(reader, unused) && Wanted(reader);
  }

  // The kernel of the later of two summands adds the earlier one, which is stored before. See GroupAnchors.
  bool IsEarlierSummand(const Call& add, const ExprPtr& value) const {
    const ExprPtr& other = add.args[0] == value ? add.args[1] : add.args[0];
    return other != value && ShapeOf(other) == ShapeOf(value) &&
           users_.position.at(value.get()) < users_.position.at(other.get());
  }

  // The new form of the old expression, as float32 if it was that. Each reader widens it within its own kernel.
  ExprPtr Value(const ExprPtr& old) const {
    const auto stored = stored_.find(old.get());
    return stored == stored_.end() ? now_.at(old.get()) : TypedCast(stored->second, DType::kFloat32);
  }

  ExprPtr StoredOf(const ExprPtr& old) const {
    const auto stored = stored_.find(old.get());
    return stored == stored_.end() ? nullptr : stored->second;
  }

  void Rewrite(const ExprPtr& old) {
    if (const relay::Tuple* tuple = relay::AsTuple(old)) {
      std::vector<ExprPtr> fields;
      for (const ExprPtr& field : tuple->fields) fields.push_back(Value(field));
      now_[old.get()] = fields == tuple->fields ? old : TypedTuple(std::move(fields));
      return;
    }
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(old)) {
      now_[old.get()] = Value(item->tuple) == item->tuple ? old : TypedItem(Value(item->tuple), item->index);
      return;
    }
    const Call* call = relay::AsCall(old);
    if (call != nullptr && (Move(old, *call) || Join(old, *call))) return;
    now_[old.get()] = call != nullptr ? Rewritten(old, *call) : old;
    if (call != nullptr && Wanted(old) && relay::IsFloatTensor(old->type) && IsStatic(ShapeOf(old))) {
      stored_[old.get()] = TypedCast(now_.at(old.get()), DType::kBFloat16);
    }
  }

  bool Move(const ExprPtr& old, const Call& call) {
    const relay::OpDef* def = DefOf(old);
    const ExprPtr stored = def != nullptr && Moves(*def) ? StoredOf(call.args[0]) : nullptr;
    if (stored == nullptr) return false;
    std::vector<ExprPtr> args{stored};
    for (size_t i = 1; i < call.args.size(); ++i) args.push_back(Value(call.args[i]));
    stored_[old.get()] = TypedCall(def->name, std::move(args), call.attrs, call.name);
    return true;
  }

  bool Join(const ExprPtr& old, const Call& call) {
    const relay::OpDef* def = DefOf(old);
    const relay::Tuple* tuple = def != nullptr && JoinsFields(*def) ? relay::AsTuple(call.args[0]) : nullptr;
    if (tuple == nullptr) return false;
    std::vector<ExprPtr> fields;
    for (const ExprPtr& field : tuple->fields) fields.push_back(StoredOf(field));
    if (std::find(fields.begin(), fields.end(), nullptr) != fields.end()) return false;
    stored_[old.get()] = TypedCall(def->name, {TypedTuple(std::move(fields))}, call.attrs, call.name);
    return true;
  }

  ExprPtr Rewritten(const ExprPtr& old, const Call& call) {
    if (const ExprPtr product = NarrowProduct(old, call)) return product;
    const ExprPtr stored = TakesBFloat(old) ? DataOf(call) : nullptr;
    std::vector<ExprPtr> args;
    for (const ExprPtr& arg : call.args) args.push_back(Value(arg));
    if (stored != nullptr) {
      args[0] = stored;
      const bool narrow = HasPairs(call) && !(options_.winograd && SuitsWinograd(call));
      if (narrow) args[1] = Narrowed(*relay::AsConstant(call.args[1]));
      return TypedCall(relay::AsOp(call.op)->def->name, std::move(args), call.attrs, call.name);
    }
    return args == call.args ? old : WithArgs(call, std::move(args));
  }

  // A product of two matrices that are both stored as bfloat16; else null.
  ExprPtr NarrowProduct(const ExprPtr& old, const Call& call) {
    if (!IsComputedProduct(old)) return nullptr;
    const ExprPtr data = StoredOf(call.args[0]), weight = StoredOf(call.args[1]);
    if (data == nullptr || weight == nullptr) return nullptr;
    return TypedCall("nn.batch_matmul", {data, weight}, call.attrs, call.name);
  }

  // The bfloat16 value that the product reads, or null. A value is rounded once for all its readers.
  ExprPtr DataOf(const Call& product) {
    const ExprPtr& old = product.args[0];
    if (const ExprPtr stored = StoredOf(old)) return stored;
    const int64_t groups = product.attrs.GetInt("groups", 1);
    if (!options_.round_inputs || groups != 1) return nullptr;
    ExprPtr& rounded = rounded_[old.get()];
    if (rounded == nullptr) rounded = TypedCast(Value(old), DType::kBFloat16);
    return rounded;
  }

  static ExprPtr Narrowed(const relay::Constant& weights) {
    return relay::MakeConstant(weights.value.As(DType::kBFloat16), weights.name);
  }

  UserMap users_;
  ExprPtr body_;
  BFloatOptions options_;
  std::unordered_map<const relay::Expr*, bool> wanted_, chain_stored_;
  std::unordered_map<const relay::Expr*, ExprPtr> now_;
  std::unordered_map<const relay::Expr*, ExprPtr> stored_;   // as bfloat16
  std::unordered_map<const relay::Expr*, ExprPtr> rounded_;  // as bfloat16, in addition to the value itself
};

}  // namespace

relay::IRModule StoreBFloat16(const relay::IRModule& module, const BFloatOptions& options) {
  const ExprPtr& body = module.main->body;
  const ExprPtr stored = BFloatStorer(body, options).Run();
  return stored == body ? module : WithBody(module, stored);
}

}  // namespace hone
