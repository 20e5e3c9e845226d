#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ops/matmul/op_products.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/byte_product.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::OpPattern;

namespace {

constexpr int kLeastInt8 = -128;

bool IsFloat32(const ExprPtr& expr) {
  return expr->type->kind == relay::TypeKind::kTensor && expr->type->dtype == DType::kFloat32;
}

bool IsOfComputed(const Call& product) { return relay::AsOp(product.op)->def->name == "nn.batch_matmul"; }

bool MultipliesPlanes(const Call& product) {
  return product.attrs.GetInt("groups", 1) > 1 && ShapeOf(product.args[1])[1] == 1;
}

bool IsMaxPool(const relay::OpDef& def) { return def.name == "nn.max_pool2d"; }

// Whether the operator moves bytes as it moves floats.
bool MovesBytes(const relay::OpDef& def) { return def.traits.moves && def.pattern == OpPattern::kInjective; }

// Whether it is a kernel of its own that moves bytes as it moves floats.
bool IsMoveInMemory(const Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  const relay::OpDef* def = op != nullptr ? op->def : nullptr;
  return def != nullptr && MovesBytes(*def) && def->name != "reshape";
}

ExprPtr Shifted(const ExprPtr& value, std::string_view op, int by) {
  return by == 0 ? value : TypedCall(op, {value, relay::MakeConstant(Tensor::Scalar(static_cast<float>(by)), "")});
}

// Each reader gets its own decoding, so that it is part of the reader's kernel.
ExprPtr Decoded(const StoredBytes& stored) {
  return Shifted(TypedCast(stored.bytes, DType::kFloat32), "subtract", -stored.low);
}

StoredBytes Encoded(const ExprPtr& value, int low) {
  return {TypedCast(Shifted(value, "add", -low), DType::kUInt8), low};
}

// Whether the rounded value cannot be negative: only positive scales follow a relu.
bool IsRectified(const ExprPtr& expr) {
  if (relay::AsCallTo(expr, "nn.relu") != nullptr) return true;
  const Call* call = relay::AsCall(expr);
  const relay::OpDef* def = DefOf(expr);
  if (def == nullptr) return false;
  if (def->name == "round") return IsRectified(call->args[0]);
  if (def->name == "clip" && call->attrs.GetFloat("a_min") >= 0) return true;
  if (def->name != "multiply" && def->name != "divide") return false;
  const relay::Constant* by = relay::AsConstant(call->args[1]);
  for (int64_t i = 0; by != nullptr && i < by->value.elements(); ++i) {
    if (!(by->value.At(i) > 0)) return false;
  }
  return by != nullptr && IsRectified(call->args[0]);
}

class ByteStorer {
 public:
  // With `only_moved`, only values that a kernel moves in memory are stored.
  ByteStorer(const ExprPtr& body, bool only_moved) : order_(PostOrder(body)), body_(body), only_moved_(only_moved) {
    for (const ExprPtr& expr : order_) {
      for (const ExprPtr& child : Children(expr)) readers_[child.get()].push_back(expr);
    }
    results_.insert(body.get());
    if (const relay::Tuple* tuple = relay::AsTuple(body)) {
      for (const ExprPtr& field : tuple->fields) results_.insert(field.get());
    }
  }

  ExprPtr Run() {
    for (const ExprPtr& expr : order_) Rewrite(expr);
    return Value(body_);
  }

 private:
  static std::vector<ExprPtr> Children(const ExprPtr& expr) {
    if (const Call* call = relay::AsCall(expr)) return call->args;
    if (const relay::Tuple* tuple = relay::AsTuple(expr)) return tuple->fields;
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) return {item->tuple};
    return {};
  }

  // The new form of the old expression, as float32 if it was that.
  ExprPtr Value(const ExprPtr& old) const {
    if (const auto stored = stored_.find(old.get()); stored != stored_.end()) return Decoded(stored->second);
    const auto scaled = scaled_.find(old.get());
    if (scaled == scaled_.end()) return now_.at(old.get());
    return TypedCall("multiply", {Decoded(scaled->second.stored), scaled->second.scale});
  }

  const StoredBytes* StoredOf(const ExprPtr& old) const {
    const auto stored = stored_.find(old.get());
    return stored == stored_.end() ? nullptr : &stored->second;
  }

  void Rewrite(const ExprPtr& old) {
    if (const Call* call = relay::AsCall(old)) {
      if (MoveBytes(old, *call) || JoinBytes(old, *call) || ScaleBytes(old, *call)) return;
      if (ReadBytes(old, *call) || ShiftBytes(old, *call) || BoundBytes(old, *call)) return;
      now_[old.get()] = RewrittenCall(old, *call);
      return Store(old);
    }
    if (const relay::Tuple* tuple = relay::AsTuple(old)) {
      std::vector<ExprPtr> fields;
      fields.reserve(tuple->fields.size());
      for (const ExprPtr& field : tuple->fields) fields.push_back(Value(field));
      now_[old.get()] = fields == tuple->fields ? old : TypedTuple(std::move(fields));
      return;
    }
    const relay::TupleGetItem* item = relay::AsTupleGetItem(old);
    now_[old.get()] = item != nullptr ? TypedItem(Value(item->tuple), item->index) : old;
  }

  bool MoveBytes(const ExprPtr& old, const Call& call) {
    const relay::OpDef* def = DefOf(old);
    if (def == nullptr || !(MovesBytes(*def) || (IsMaxPool(*def) && ReadersTakeBytes(old)))) return false;
    const StoredBytes* stored = StoredOf(call.args[0]);
    if (stored == nullptr) return false;
    std::vector<ExprPtr> args{stored->bytes};
    for (size_t i = 1; i < call.args.size(); ++i) args.push_back(Value(call.args[i]));
    stored_[old.get()] = {TypedCall(def->name, std::move(args), call.attrs, call.name), stored->low};
    return true;
  }

  // Reads 8-bit integers of the graph, such as its inputs. A kernel of its own shifts int8 ones to uint8, which pays if
  // only products read them.
  bool ReadBytes(const ExprPtr& old, const Call& call) {
    const DType from = relay::AsCallTo(old, "cast") != nullptr ? call.args[0]->type->dtype : DType::kFloat32;
    if ((from != DType::kUInt8 && from != DType::kInt8) || !IsFloat32(old) || !IsStatic(ShapeOf(old))) return false;
    const bool is_signed = from == DType::kInt8;
    if (only_moved_ && !IsMoved(old)) return false;
    if (relay::AsConstant(call.args[0]) != nullptr || !(is_signed ? FeedsProduct(old) : ReadersTakeBytes(old))) {
      return false;
    }
    const ExprPtr& integers = now_.at(call.args[0].get());
    stored_[old.get()] =
        is_signed ? Encoded(TypedCall("cast", {integers}, call.attrs), kLeastInt8) : StoredBytes{integers, 0};
    return true;
  }

  // A zero point that is added or subtracted becomes part of the stored bytes' meaning.
  bool ShiftBytes(const ExprPtr& old, const Call& call) {
    const bool subtracts = relay::AsCallTo(old, "subtract") != nullptr;
    const bool shifts = subtracts || relay::AsCallTo(old, "add") != nullptr;
    const StoredBytes* stored = shifts ? StoredOf(call.args[0]) : nullptr;
    const auto by = stored != nullptr ? ScalarOf(call.args[1]) : std::nullopt;
    if (!by || std::trunc(*by) != *by || std::abs(*by) > kLargestByte) return false;
    const int low = stored->low + static_cast<int>(subtracts ? -*by : *by);
    if (low > 0 || ShapeOf(call.args[0]) != ShapeOf(old)) return false;
    stored_[old.get()] = {stored->bytes, low};
    return true;
  }

  // Bounds that every stored byte keeps.
  bool BoundBytes(const ExprPtr& old, const Call& call) {
    const StoredBytes* stored = relay::AsCallTo(old, "clip") != nullptr ? StoredOf(call.args[0]) : nullptr;
    if (stored == nullptr || call.attrs.GetFloat("a_min", 1) > stored->low ||
        call.attrs.GetFloat("a_max", 0) < stored->low + kLargestByte) {
      return false;
    }
    stored_[old.get()] = StoredBytes(*stored);
    return true;
  }

  // Whether a kernel moves the value in memory before anything else reads it.
  bool IsMoved(const ExprPtr& old) const {
    const auto readers = readers_.find(old.get());
    return readers != readers_.end() &&
           std::any_of(readers->second.begin(), readers->second.end(), [&](const ExprPtr& reader) {
             const Call* call = relay::AsCall(reader);
             return call != nullptr &&
                    (IsMoveInMemory(*call) || (relay::AsCallTo(reader, "reshape") != nullptr && IsMoved(reader)));
           });
  }

  // Whether all readers are products of bytes, or subtract a zero point or move the value for such products.
  bool FeedsProduct(const ExprPtr& old) const {
    const auto readers = readers_.find(old.get());
    if (readers == readers_.end() || results_.count(old.get()) > 0) return false;
    return std::all_of(readers->second.begin(), readers->second.end(), [&](const ExprPtr& reader) {
      const relay::OpDef* def = DefOf(reader);
      if (def == nullptr) return false;
      if (def->pattern == OpPattern::kAnchor) return ReadersTakeBytes(old);
      const Call& call = *relay::AsCall(reader);
      const bool shifts = def->name == "subtract" && call.args[0] == old && ScalarOf(call.args[1]).has_value();
      return (shifts || MovesBytes(*def)) && FeedsProduct(reader);
    });
  }

  // Decoded bytes times a scale are made by each reader, as decoded integers are.
  bool ScaleBytes(const ExprPtr& old, const Call& call) {
    const StoredBytes* stored = relay::AsCallTo(old, "multiply") != nullptr ? StoredOf(call.args[0]) : nullptr;
    const auto scale = stored != nullptr ? ScalarOf(call.args[1]) : std::nullopt;
    if (!scale || ShapeOf(call.args[0]) != ShapeOf(old)) return false;
    scaled_[old.get()] = {*stored, relay::MakeConstant(Tensor::Scalar(static_cast<float>(*scale)), "")};
    return true;
  }

  // Joins bytes directly if they have the same zero point.
  bool JoinBytes(const ExprPtr& old, const Call& call) {
    const relay::OpDef* def = DefOf(old);
    const relay::Tuple* tuple = def != nullptr && JoinsFields(*def) ? relay::AsTuple(call.args[0]) : nullptr;
    const StoredBytes* first = tuple != nullptr ? StoredOf(tuple->fields[0]) : nullptr;
    if (first == nullptr) return false;
    std::vector<ExprPtr> fields;
    for (const ExprPtr& field : tuple->fields) {
      const StoredBytes* stored = StoredOf(field);
      if (stored == nullptr || stored->low != first->low) return false;
      fields.push_back(stored->bytes);
    }
    stored_[old.get()] = {TypedCall(def->name, {TypedTuple(std::move(fields))}, call.attrs, call.name), first->low};
    return true;
  }

  ExprPtr RewrittenCall(const ExprPtr& old, const Call& call) {
    if (const StoredBytes* data = call.args.empty() ? nullptr : StoredOf(call.args[0])) {
      if (IsOfComputed(call)) {
        const StoredBytes* weight = MultipliesBytes(call) ? StoredOf(call.args[1]) : nullptr;
        if (weight != nullptr) return ProductOfPairs(call, *data, *weight);
      } else if (MultipliesBytes(call) && OneReader(old)) {
        products_[old.get()] = MakeByteProduct(call, *data);
        return OffsetSums(products_[old.get()], nullptr);
      }
    }
    if (const ExprPtr whole = AsTheyAre(old, call)) return whole;
    if (const ExprPtr biased = WithBias(old, call)) return biased;
    if (const ExprPtr scaled = ScaledBeforeRelu(old, call)) return scaled;
    std::vector<ExprPtr> args;
    args.reserve(call.args.size());
    for (const ExprPtr& arg : call.args) args.push_back(InPlace(call, Value(arg)));
    return args == call.args ? old : WithArgs(call, std::move(args));
  }

  // A cast to integers of floats that only carried these very integers: stored bytes, or the sums of a product. A
  // depthwise kernel has no integer sums.
  ExprPtr AsTheyAre(const ExprPtr& old, const Call& call) const {
    if (relay::AsCallTo(old, "cast") == nullptr) return nullptr;
    const StoredBytes* stored = StoredOf(call.args[0]);
    if (stored != nullptr && stored->low == 0 && old->type->dtype == stored->bytes->type->dtype) return stored->bytes;
    const auto range = old->type->dtype == DType::kInt32 ? WholeRangeOf(call.args[0]) : std::nullopt;
    if (stored != nullptr || !range || !range->Within(-relay::kLargestExact, relay::kLargestExact)) return nullptr;
    const Call* sums = relay::AsCallTo(Value(call.args[0]), "cast");
    if (sums == nullptr || sums->args[0]->type->dtype != DType::kInt32) return nullptr;
    const Call* product = IntegralProduct(call.args[0]);
    return product != nullptr && MultipliesPlanes(*product) ? nullptr : sums->args[0];
  }

  // Makes a constant that applies to all elements a scalar, so that it is part of the kernel.
  static ExprPtr InPlace(const Call& call, const ExprPtr& arg) {
    const relay::Constant* constant = relay::AsConstant(arg);
    const relay::OpDef* def = relay::AsOp(call.op)->def;
    const bool arithmetic = def->name == "multiply" || def->name == "divide";
    if (!arithmetic || constant == nullptr || constant->value.elements() != 1 || constant->value.shape().empty() ||
        constant->value.dtype() != DType::kFloat32 || call.args[0] == arg || ShapeOf(call.args[0]) != call.type->shape)
      return arg;
    if (IntegralProduct(call.args[0]) != nullptr) return arg;
    return relay::MakeConstant(constant->value.Reshaped({}), constant->name);
  }

  bool OneReader(const ExprPtr& old) const {
    const auto readers = readers_.find(old.get());
    return readers != readers_.end() && readers->second.size() == 1 && results_.count(old.get()) == 0;
  }

  // A bias of integers joins the offsets.
  ExprPtr WithBias(const ExprPtr& old, const Call& call) {
    const Call* add = relay::AsCallTo(old, "nn.bias_add");
    const auto product = add != nullptr ? products_.find(add->args[0].get()) : products_.end();
    const relay::Constant* bias = product != products_.end() ? relay::AsConstant(call.args[1]) : nullptr;
    if (bias == nullptr || IntegralProduct(old) == nullptr || add->attrs.GetInt("axis", 1) != 1) return nullptr;
    return OffsetSums(product->second, &bias->value);
  }

  // relu(x) * s equals relu(x * s) bit by bit if s > 0. Then only the kernel's sum precedes the scale.
  ExprPtr ScaledBeforeRelu(const ExprPtr& old, const Call& call) {
    const Call* multiply = relay::AsCallTo(old, "multiply");
    const Call* relu = multiply != nullptr ? relay::AsCallTo(multiply->args[0], "nn.relu") : nullptr;
    if (relu == nullptr || IntegralProduct(multiply->args[0]) == nullptr || !IsRectified(old)) return nullptr;
    const ExprPtr scaled = TypedCall("multiply", {Value(relu->args[0]), Value(call.args[1])}, {}, call.name);
    return TypedCall("nn.relu", {scaled}, relu->attrs, relu->name);
  }

  // Whether all readers take bytes, or decode them to floats on the way. Other products would need a separate kernel
  // that makes floats.
  bool ReadersTakeBytes(const ExprPtr& old) const {
    const auto readers = readers_.find(old.get());
    if (readers == readers_.end() || results_.count(old.get()) > 0) return false;
    return std::all_of(readers->second.begin(), readers->second.end(), [&](const ExprPtr& reader) {
      const relay::OpDef* def = DefOf(reader);
      if (def == nullptr) return ReadersTakeBytes(reader);
      if (MovesBytes(*def) || JoinsFields(*def)) return ReadersTakeBytes(reader);
      if (def->pattern == OpPattern::kAnchor) {
        const Call& product = *relay::AsCall(reader);
        return MultipliesBytes(product) && (IsOfComputed(product) || (product.args[0] == old && OneReader(reader)));
      }
      return def->pattern != OpPattern::kOpaque;
    });
  }

  void Store(const ExprPtr& old) {
    const relay::OpDef* def = DefOf(old);
    const bool may_be = def != nullptr && IsFloat32(old) && IsStatic(ShapeOf(old));
    if (!may_be || ShapeOf(old).size() < 2 || ShapeOf(old).size() > 4 || (only_moved_ && !IsMoved(old))) return;
    const bool elementwise = def->pattern == OpPattern::kElementwise || def->pattern == OpPattern::kBroadcast;
    if (def->pattern == OpPattern::kAnchor || (elementwise && def->name != "clip")) return;
    auto range = WholeRangeOf(old);
    if (!range || !ReadersTakeBytes(old)) return;
    ExprPtr& now = now_[old.get()];
    const Call* clip = relay::AsCallTo(now, "clip");
    if (clip != nullptr && range->low < 0 && IsRectified(clip->args[0])) {
      range->low = 0;
      now = TypedCall("clip", clip->args, {{"a_min", 0.0}, {"a_max", range->high}}, clip->name);
    }
    const double low = std::min(range->low, 0.0);
    if (range->high - low > kLargestByte) return;
    stored_[old.get()] = Encoded(now, static_cast<int>(low));
  }

  std::vector<ExprPtr> order_;
  ExprPtr body_;
  bool only_moved_;
  std::unordered_map<const relay::Expr*, std::vector<ExprPtr>> readers_;
  std::unordered_set<const relay::Expr*> results_;
  std::unordered_map<const relay::Expr*, ExprPtr> now_;
  std::unordered_map<const relay::Expr*, StoredBytes> stored_;
  struct Scaled {
    StoredBytes stored;
    ExprPtr scale;
  };
  std::unordered_map<const relay::Expr*, Scaled> scaled_;
  std::unordered_map<const relay::Expr*, ByteProduct> products_;  // by the old product
};

}  // namespace

relay::IRModule StoreBytes(const relay::IRModule& module) {
  const relay::IRModule images = DenseAsConv(module);
  const ExprPtr& body = images.main->body;
  const std::vector<ExprPtr> order = PostOrder(body);
  const auto any = [&](const std::function<bool(const Call&)>& holds) {
    return std::any_of(order.begin(), order.end(), [&](const ExprPtr& expr) {
      const Call* call = relay::AsCall(expr);
      return call != nullptr && relay::AsOp(call->op) != nullptr && holds(*call);
    });
  };
  const bool multiplies = any(MultipliesBytes);
  const bool moves =
      multiplies || any([](const Call& call) { return IsMoveInMemory(call) && WholeRangeOf(call.args[0]); });
  return moves ? WithBody(module, ByteStorer(body, !multiplies).Run()) : module;
}

}  // namespace hone
