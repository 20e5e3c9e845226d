#include <algorithm>
#include <limits>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/fusion/growth.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Whether it is a product of two matrices, both of float32 or both of bfloat16.
bool IsFloatProduct(const ExprPtr& expr) {
  const Call* product = relay::AsCallTo(expr, "nn.batch_matmul");
  if (product == nullptr || AsAnchor(expr) == nullptr || expr->type->dtype != DType::kFloat32) return false;
  const DType of = product->args[0]->type->dtype;
  return of == product->args[1]->type->dtype && (of == DType::kFloat32 || of == DType::kBFloat16);
}

const Call* AsRounding(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  return cast != nullptr && cast->type->dtype == DType::kBFloat16 ? cast : nullptr;
}

// Whether both tensors end in matrices of the same shape.
bool SameMatrices(const ExprPtr& a, const ExprPtr& b) {
  const Shape &x = ShapeOf(a), &y = ShapeOf(b);
  return x.size() >= 2 && y.size() >= 2 && std::equal(x.end() - 2, x.end(), y.end() - 2);
}

// Searches backwards from the product with values to the product of queries and keys.
class AttentionSearch {
 public:
  AttentionSearch(const UserMap& users, const Grouping& grouping) : users_(users), grouping_(grouping) {}

  // The group that ends at the product, without transposes; nullopt if it is no attention.
  std::optional<FuseGroup> From(const ExprPtr& product) {
    const Call& values = *relay::AsCall(product);
    if (MatmulAxes(values, 0) != "BMK") return std::nullopt;
    members_ = {product};
    const ExprPtr softmax = PastReshapes(PastNanGuard(PastReshapes(PastRounding(PastReshapes(values.args[0])))));
    if (!IsOwn(softmax) || !WeighsKeys(softmax) || !SameMatrices(softmax, values.args[0])) return std::nullopt;
    Growth growth(users_, grouping_, softmax);
    growth.TakeAll(IsPointwise);
    members_.insert(members_.end(), growth.members().begin(), growth.members().end());
    const ExprPtr scores = ScoresOf(growth);
    if (scores == nullptr) return std::nullopt;
    const ExprPtr count = TakeKeyMask(*relay::AsCall(softmax), growth);
    TakeRepeat(relay::AsCall(scores)->args[1]);
    TakeRepeat(count == nullptr ? values.args[1] : TakeValueMask(values, count));
    FuseGroup group{members_, nullptr};
    group.scores = scores;
    group.counts_keys = count != nullptr;
    group.nan_guard = nan_guard_;
    return group;
  }

 private:
  bool IsOwn(const ExprPtr& expr) const {
    return !grouping_.Has(expr) && (expr == guarded_ || users_.OnlyUser(expr) != nullptr);
  }

  // Skips reshapes that nothing else reads; they become members.
  ExprPtr PastReshapes(ExprPtr expr) {
    while (relay::AsCallTo(expr, "reshape") != nullptr && IsOwn(expr)) {
      members_.push_back(expr);
      expr = relay::AsCall(expr)->args[0];
    }
    return expr;
  }

  ExprPtr PastRounding(const ExprPtr& expr) {
    const Call* cast = AsRounding(expr);
    if (cast == nullptr || !IsOwn(expr)) return expr;
    members_.push_back(expr);
    return cast->args[0];
  }

  // Skips where(w != w, 0, w) if nothing else reads w.
  ExprPtr PastNanGuard(const ExprPtr& expr) {
    const Call* guard = relay::AsCallTo(expr, "where");
    const Call* is_nan = guard == nullptr ? nullptr : relay::AsCallTo(guard->args[0], "not_equal");
    if (is_nan == nullptr || !IsOwn(expr) || !IsOwn(guard->args[0])) return expr;
    const ExprPtr& weights = guard->args[2];
    const relay::Constant* zero = relay::AsConstant(guard->args[1]);
    if (is_nan->args[0] != weights || is_nan->args[1] != weights || zero == nullptr || zero->value.elements() != 1 ||
        zero->value.At(0) != 0 || ShapeOf(weights) != ShapeOf(expr) || weights == users_.result) {
      return expr;
    }
    // The guard itself reads them once, and its comparison twice.
    if (users_.users.at(weights.get()).size() != 3) return expr;
    members_.insert(members_.end(), {expr, guard->args[0]});
    nan_guard_ = expr;
    guarded_ = weights;
    return weights;
  }

  static bool WeighsKeys(const ExprPtr& expr) {
    const Call* softmax = IsSoftmax(expr) ? relay::AsCallTo(expr, "nn.softmax") : nullptr;
    const size_t rank = softmax ? ShapeOf(expr).size() : 0;
    return rank >= 2 && FromFront(softmax->attrs.GetInt("axis", -1), rank) + 1 == static_cast<int64_t>(rank);
  }

  // The n of where(position < n, x, other) for an int64 scalar n and the positions along an axis, `behind` axes before
  // the last; null for any other expression.
  static ExprPtr MaskedFrom(const ExprPtr& expr, size_t behind, double other) {
    const Call* where = relay::AsCallTo(expr, "where");
    const Call* less = where == nullptr ? nullptr : relay::AsCallTo(where->args[0], "less");
    if (less == nullptr || ShapeOf(where->args[1]) != ShapeOf(expr)) return nullptr;
    const relay::Constant *positions = relay::AsConstant(less->args[0]), *fill = relay::AsConstant(where->args[2]);
    const relay::Type& n = *less->args[1]->type;
    if (positions == nullptr || fill == nullptr || n.dtype != DType::kInt64 || ElementCount(n.shape) != 1)
      return nullptr;
    const Shape& places = positions->value.shape();
    const int64_t extent = *(ShapeOf(expr).end() - 1 - static_cast<int64_t>(behind));
    if (places.size() <= behind || *(places.end() - 1 - static_cast<int64_t>(behind)) != extent) return nullptr;
    if (positions->value.elements() != extent) return nullptr;
    for (int64_t i = 0; i < extent; ++i) {
      if (positions->value.data<int64_t>()[i] != i) return nullptr;
    }
    return fill->value.elements() == 1 && fill->value.At(0) == other ? less->args[1] : nullptr;
  }

  // Takes the mask of the softmax's operand where(position < n, x, -infinity), with positions along the keys. Returns
  // n, or null if there is no such mask.
  ExprPtr TakeKeyMask(const Call& softmax, const Growth& growth) {
    const ExprPtr& masked = softmax.args[0];
    ExprPtr count = growth.Has(masked) ? MaskedFrom(masked, 0, -std::numeric_limits<double>::infinity()) : nullptr;
    if (count == nullptr || !IsOwn(relay::AsCall(masked)->args[0])) return nullptr;
    members_.push_back(relay::AsCall(masked)->args[0]);
    return count;
  }

  // Takes the mask where(position < count, values, 0) along the keys: the kernel reads no values behind the count. A
  // transpose may come between it and the product. Returns the values without the mask.
  const ExprPtr& TakeValueMask(const Call& product, const ExprPtr& count) {
    const Call* transpose = AsTranspose(product.args[1]);
    const ExprPtr& values = transpose == nullptr ? product.args[1] : transpose->args[0];
    const std::string axes = MatmulAxes(product, 1);
    const size_t keys = (transpose == nullptr ? axes : TransposedFrom(*transpose, axes)).find('K');
    const bool own = IsOwn(values) && (transpose == nullptr || IsOwn(product.args[1]));
    if (!own || MaskedFrom(values, axes.size() - 1 - keys, 0) != count || !IsOwn(relay::AsCall(values)->args[0]))
      return product.args[1];
    members_.insert(members_.end(), {relay::AsCall(values)->args[0], values});
    return relay::AsCall(values)->args[1];
  }

  // Takes the repetition of matrices that several heads share: a reshape of a broadcast of (groups, 1, rows, columns).
  void TakeRepeat(const ExprPtr& matrices) {
    const Call* reshape = relay::AsCallTo(matrices, "reshape");
    const Call* repeat = reshape == nullptr ? nullptr : relay::AsCallTo(reshape->args[0], "broadcast_to");
    if (repeat == nullptr || !IsOwn(matrices) || !IsOwn(reshape->args[0])) return;
    const Shape &from = ShapeOf(repeat->args[0]), &to = repeat->type->shape, &all = ShapeOf(matrices);
    if (from.size() != 4 || to.size() != 4 || from[0] != to[0] || from[1] != 1) return;
    if (all != Shape{from[0] * to[1], from[2], from[3]}) return;
    members_.insert(members_.end(), {reshape->args[0], matrices});
  }

  // The product that the softmax's operators read, which becomes a member; null if there is none.
  ExprPtr ScoresOf(const Growth& growth) {
    ExprPtr scores;
    for (const ExprPtr& member : growth.members()) {
      for (const ExprPtr& arg : relay::AsCall(member)->args) {
        if (growth.Has(arg) || ShapeOf(arg) != ShapeOf(growth.members()[0])) continue;
        const size_t before = members_.size();
        const ExprPtr read = PastReshapes(arg);
        const bool may_be = scores == nullptr && IsOwn(read) && SameMatrices(read, arg);
        if (ExprPtr product = may_be ? ScoresAt(read) : nullptr) {
          scores = std::move(product);
        } else {
          members_.resize(before);
        }
      }
    }
    return scores;
  }

  // The expression itself if it is a product, else one that operators around it read. They become members.
  ExprPtr ScoresAt(const ExprPtr& expr) {
    if (IsFloatProduct(expr)) {
      members_.push_back(expr);
      return expr;
    }
    if (!IsPointwise(expr)) return nullptr;
    Growth growth(users_, grouping_, expr);
    growth.TakeAll(IsPointwise);
    members_.insert(members_.end(), growth.members().begin(), growth.members().end());
    return ScoresOf(growth);
  }

  const UserMap& users_;
  const Grouping& grouping_;
  std::vector<ExprPtr> members_;
  ExprPtr nan_guard_, guarded_;  // the guard and what it alone reads; null: none
};

// Takes the transposes around both products, and the rounding of the result.
void TakeAttentionTransposes(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  const ExprPtr values = group.members.front();
  ExprPtr result = users.OnlyUser(values);
  const bool rounds = result != nullptr && !grouping.Has(result) && AsRounding(result) != nullptr;
  if (!rounds) result = values;
  for (const ExprPtr& read :
       {TransposeReadBy(users, grouping, group.scores, 0), TransposeReadBy(users, grouping, group.scores, 1),
        TransposeReadBy(users, grouping, values, 1), TransposeBehind(users, grouping, result)}) {
    if (read != nullptr) group.members.push_back(read);
  }
  if (rounds) group.members.push_back(result);
}

}  // namespace

void GroupAttention(const UserMap& users, int64_t least_bytes, Grouping& grouping) {
  for (auto it = users.order.rbegin(); it != users.order.rend(); ++it) {
    if (!IsFloatProduct(*it) || grouping.Has(*it)) continue;
    std::optional<FuseGroup> group = AttentionSearch(users, grouping).From(*it);
    if (!group) continue;
    // Only one kernel of all can end its sums with the keys of a run.
    const int64_t bytes = ElementCount(ShapeOf(group->scores)) * DTypeBytes(DType::kFloat32);
    if (!group->counts_keys && bytes < least_bytes) continue;
    TakeAttentionTransposes(users, grouping, *group);
    std::sort(group->members.begin(), group->members.end(), [&](const ExprPtr& a, const ExprPtr& b) {
      return users.position.at(a.get()) < users.position.at(b.get());
    });
    grouping.Add(std::move(*group));
  }
}

}  // namespace hone
