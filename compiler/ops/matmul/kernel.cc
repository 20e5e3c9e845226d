// Plain fallbacks for what no schedule takes: correct for any shape, not tuned.
#include <functional>

#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

// One operand of a product: the coordinates of its element at k.
using DotOperand = std::function<Coordinates(const Coordinate& k)>;

// The sum over k < depth of x(k) w(k).
Value* Dot(Evaluator& e, const relay::Call& call, int64_t depth, const DotOperand& x, const DotOperand& w,
           Lanes lanes) {
  KernelBuilder& b = e.b();
  // Bytes are widened, because their sums are int32.
  const auto factor = [&](size_t i, const Coordinates& from, Lanes l) {
    Value* value = e.Eval(call.args[i], from, l);
    if (call.type->dtype != DType::kInt32) return value;
    value = Converted(b, value, call.args[i]->type->dtype, DType::kInt32);
    if (call.args.size() == 2) return value;
    Value* zero = e.Eval(call.args[2], {At(b, static_cast<int64_t>(i))}, kScalar);
    return b.ir().CreateSub(value, l.count == 1 ? zero : b.Splat(zero, l.count));
  };
  const auto step = [&](Value* sum, const Coordinate& k, Lanes l) {
    return MultipliedAdd(b, factor(0, x(k), l), factor(1, w(k), l), sum);
  };
  const Fold fold{FoldKind::kSum, ElementType(b, call.type->dtype), step};
  return lanes.count == 1 ? FoldAlong(b, fold, depth) : FoldAcross(b, fold, depth, lanes);
}

Value* Dense(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto x = [&](const Coordinate& k) {
    Coordinates from(at.begin(), at.end() - 1);
    from.push_back(k);
    return from;
  };
  const auto w = [&](const Coordinate& k) { return Coordinates{at.back(), k}; };
  return Dot(e, call, TensorTypeOf(call.args[0]).shape.back(), x, w, lanes);
}

Value* BatchedProduct(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto side = [&](size_t i, bool transposed) {
    const Coordinate batch = TensorTypeOf(call.args[i]).shape[0] == 1 ? At(e.b(), 0) : at[0];
    const Coordinate row = at[i + 1];
    return [=](const Coordinate& k) { return transposed ? Coordinates{batch, k, row} : Coordinates{batch, row, k}; };
  };
  const bool left = call.attrs.GetBool("transpose_a"), right = !call.attrs.GetBool("transpose_b", true);
  const int64_t depth = TensorTypeOf(call.args[0]).shape[left ? 1 : 2];
  return Dot(e, call, depth, side(0, left), side(1, right), lanes);
}

}  // namespace

EmitterTable MatmulEmitters() { return {{"nn.dense", Dense}, {"nn.batch_matmul", BatchedProduct}}; }

}  // namespace hone
