// Plain fallbacks for the operators that have schedules: correct for any shape, not tuned.
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/generic/window.h"

namespace hone {
namespace {

// The group of an output channel and its position in the group.
struct Channel {
  Value* group;
  Coordinate within;
};
Channel ChannelOf(KernelBuilder& b, const Coordinate& at, int64_t channels, int64_t groups) {
  if (groups == 1) return {b.Index(0), at};
  const int64_t per_group = channels / groups;
  return {b.Div(at.base, per_group), At(b.Mod(at.base, per_group))};
}

Value* MulAdd(KernelBuilder& b, Value* x, Value* w, Value* sum) {
  return sum->getType()->getScalarType()->isFloatingPointTy() ? b.Fma(x, w, sum)
                                                              : b.ir().CreateAdd(b.ir().CreateMul(x, w), sum);
}

// All lanes must read the same taps. Lanes that would clip other taps, or fall into another group, are evaluated one by
// one.
Value* Conv2d(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const auto axes = *WindowOf(call);
  const int64_t groups = call.attrs.GetInt("groups", 1);
  const bool columns_differ = at[3].step != 0 && !e.interior && !axes[1].always_inside();
  if (columns_differ || (groups > 1 && at[1].step != 0)) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return Conv2d(e, call, one, kScalar); });
  }
  const int64_t depth = call.args[1]->type->shape[1];
  const Channel channel = ChannelOf(b, at[1], call.type->shape[1], groups);
  const Taps rows = TapsAt(b, axes[0], at[2].base, e.interior);
  const Taps columns = TapsAt(b, axes[1], at[3].base, e.interior);
  llvm::Type* element = ElementType(b, call.type->dtype);
  const auto step = [&](Value* sum, const Coordinate& c, Lanes) {
    const Coordinate from_c = At(b.Add(b.Mul(channel.group, depth), c.base));
    return ForTaps(b, rows, sum, [&](Value* kh, Value* row) {
      return ForTaps(b, columns, row, [&](Value* kw, Value* tap_sum) {
        const Coordinates x{at[0], from_c, TapCoordinate(b, axes[0], at[2], kh), TapCoordinate(b, axes[1], at[3], kw)};
        const Coordinates w{at[1], c, At(kh), At(kw)};
        return MulAdd(b, e.Eval(call.args[0], x, lanes), e.Eval(call.args[1], w, lanes), tap_sum);
      });
    });
  };
  Value* zero = llvm::Constant::getNullValue(VectorOf(element, lanes.count));
  return b.Loop(0, depth, 1, {zero}, [&](Value* c, const Vals& v) { return Vals{step(v[0], At(c), lanes)}; })[0];
}

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
    return MulAdd(b, factor(0, x(k), l), factor(1, w(k), l), sum);
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

EmitterTable ConvEmitters() {
  return {{"nn.conv2d", Conv2d}, {"nn.dense", Dense}, {"nn.batch_matmul", BatchedProduct}};
}

}  // namespace hone
