#include "compiler/relay/structural_equal.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"

namespace hone::relay {
namespace {

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  return a.raw() == b.raw() || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.size_bytes())) == 0;
}

// Walks both graphs together. `there_` and `back_` pair the visited nodes: each has one partner.
class GraphComparison {
 public:
  bool Equal(const ExprPtr& a, const ExprPtr& b) {
    Push(a, b);
    while (!pairs_.empty()) {
      const auto [x, y] = pairs_.back();
      pairs_.pop_back();
      if (!Same(*x, *y)) return false;
    }
    return true;
  }

 private:
  void Push(const ExprPtr& a, const ExprPtr& b) { pairs_.emplace_back(a.get(), b.get()); }

  bool PushAll(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
    for (size_t i = 0; i < a.size() && a.size() == b.size(); ++i) Push(a[i], b[i]);
    return a.size() == b.size();
  }

  enum class Met : uint8_t { kBefore, kNew, kWithAnother };
  Met Pair(const Expr& a, const Expr& b) {
    const auto [there, is_new] = there_.emplace(&a, &b);
    const auto [back, is_new_back] = back_.emplace(&b, &a);
    if (there->second != &b || back->second != &a) return Met::kWithAnother;
    return is_new || is_new_back ? Met::kNew : Met::kBefore;
  }

  bool Same(const Expr& a, const Expr& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == ExprKind::kOp) return &a == &b;
    if (a.kind == ExprKind::kConstant) {
      return SameTensor(static_cast<const Constant&>(a).value, static_cast<const Constant&>(b).value);
    }
    if (a.kind == ExprKind::kVar) return SameVar(a, b);
    const Met met = Pair(a, b);
    return met == Met::kBefore || (met == Met::kNew && SameParts(a, b));
  }

  bool SameVar(const Expr& a, const Expr& b) const {
    const auto there = there_.find(&a), back = back_.find(&b);
    if (there == there_.end() || back == back_.end()) return &a == &b;
    return there->second == &b && back->second == &a;
  }

  bool SameParts(const Expr& a, const Expr& b) {
    switch (a.kind) {
      case ExprKind::kCall: {
        const auto &x = static_cast<const Call&>(a), &y = static_cast<const Call&>(b);
        Push(x.op, y.op);
        return x.attrs == y.attrs && PushAll(x.args, y.args);
      }
      case ExprKind::kTuple:
        return PushAll(static_cast<const Tuple&>(a).fields, static_cast<const Tuple&>(b).fields);
      case ExprKind::kTupleGetItem: {
        const auto &x = static_cast<const TupleGetItem&>(a), &y = static_cast<const TupleGetItem&>(b);
        Push(x.tuple, y.tuple);
        return x.index == y.index;
      }
      default:
        return SameFunction(static_cast<const Function&>(a), static_cast<const Function&>(b));
    }
  }

  bool SameFunction(const Function& a, const Function& b) {
    if (a.attrs != b.attrs || a.params.size() != b.params.size()) return false;
    for (size_t i = 0; i < a.params.size(); ++i) {
      if (!relay::Equal(a.params[i]->type, b.params[i]->type)) return false;
      if (Pair(*a.params[i], *b.params[i]) == Met::kWithAnother) return false;
    }
    Push(a.body, b.body);
    return true;
  }

  std::vector<std::pair<const Expr*, const Expr*>> pairs_;
  std::unordered_map<const Expr*, const Expr*> there_, back_;
};

uint64_t Mixed(uint64_t hash, uint64_t part) { return MixBits(hash ^ MixBits(part + 0x9e3779b97f4a7c15ULL)); }

uint64_t HashOf(std::string_view bytes) {
  uint64_t hash = bytes.size();
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    hash = Mixed(hash, word);
  }
  return hash;
}

uint64_t HashOf(const std::vector<int64_t>& numbers) {
  uint64_t hash = numbers.size();
  for (const int64_t number : numbers) hash = Mixed(hash, static_cast<uint64_t>(number));
  return hash;
}

uint64_t HashOf(const Tensor& tensor) {
  const std::string_view bytes(static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.size_bytes()));
  return Mixed(Mixed(static_cast<uint64_t>(tensor.dtype()), HashOf(tensor.shape())), HashOf(bytes));
}

uint64_t HashOf(const TypePtr& type) { return HashOf(std::string_view(ToText(type))); }

uint64_t HashOf(const Attrs& attrs) {
  uint64_t hash = 0;
  for (const auto& [name, value] : attrs.values()) {
    hash = Mixed(Mixed(hash, HashOf(std::string_view(name))), HashOf(std::string_view(ToText(value))));
  }
  return hash;
}

class Hashing {
 public:
  uint64_t Of(const ExprPtr& root) {
    PostOrderVisit(root, [&](const ExprPtr& expr) {
      const Function* function = AsFunction(expr);
      for (size_t i = 0; function != nullptr && i < function->params.size(); ++i) {
        params_[function->params[i].get()] = i;
      }
    });
    PostOrderVisit(root, [&](const ExprPtr& expr) {
      hashes_[expr.get()] = Mixed(static_cast<uint64_t>(expr->kind), NodeHash(expr));
    });
    return hashes_.at(root.get());
  }

 private:
  uint64_t All(uint64_t hash, const std::vector<ExprPtr>& exprs) const {
    hash = Mixed(hash, exprs.size());
    for (const ExprPtr& expr : exprs) hash = Mixed(hash, hashes_.at(expr.get()));
    return hash;
  }

  uint64_t NodeHash(const ExprPtr& expr) const {
    if (const Constant* constant = AsConstant(expr)) return HashOf(constant->value);
    if (const Op* op = AsOp(expr)) return HashOf(std::string_view(op->def->name));
    if (const Call* call = AsCall(expr)) return All(Mixed(hashes_.at(call->op.get()), HashOf(call->attrs)), call->args);
    if (const Tuple* tuple = AsTuple(expr)) return All(0, tuple->fields);
    if (const TupleGetItem* item = AsTupleGetItem(expr)) {
      return Mixed(hashes_.at(item->tuple.get()), static_cast<uint64_t>(item->index));
    }
    if (const Function* function = AsFunction(expr)) return FunctionHash(*function);
    const Var& var = *AsVar(expr);
    const auto param = params_.find(&var);
    return param != params_.end() ? Mixed(param->second, HashOf(var.type)) : HashOf(std::string_view(var.name));
  }

  uint64_t FunctionHash(const Function& function) const {
    uint64_t hash = Mixed(HashOf(function.attrs), function.params.size());
    for (const auto& param : function.params) hash = Mixed(hash, hashes_.at(param.get()));
    return Mixed(hash, hashes_.at(function.body.get()));
  }

  std::unordered_map<const Expr*, size_t> params_;
  std::unordered_map<const Expr*, uint64_t> hashes_;
};

// The value bound to each of main's parameters; null if none is bound.
std::vector<const Tensor*> BoundValues(const IRModule& module) {
  std::unordered_map<std::string_view, const Tensor*> values;
  for (const auto& [name, value] : module.params) values[name] = &value;
  std::vector<const Tensor*> bound;
  bound.reserve(module.main->params.size());
  for (const auto& param : module.main->params) bound.push_back(values[param->name]);
  return bound;
}

}  // namespace

bool StructuralEqual(const ExprPtr& a, const ExprPtr& b) { return GraphComparison().Equal(a, b); }

bool StructuralEqual(const IRModule& a, const IRModule& b) {
  const std::vector<const Tensor*> x = BoundValues(a), y = BoundValues(b);
  const auto same = [](const Tensor* p, const Tensor* q) { return p == q || (p && q && SameTensor(*p, *q)); };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same) && StructuralEqual(a.main, b.main);
}

uint64_t StructuralHash(const ExprPtr& expr) { return Hashing().Of(expr); }

uint64_t StructuralHash(const IRModule& module) {
  uint64_t hash = StructuralHash(module.main);
  for (const Tensor* value : BoundValues(module)) hash = Mixed(hash, value ? HashOf(*value) : 0);
  return hash;
}

}  // namespace hone::relay
