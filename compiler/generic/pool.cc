// Pools over a sliding window.
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/generic/window.h"

namespace hone {
namespace {

// Lanes along the width see borders of their own unless no window touches one.
bool LanesDiffer(const Evaluator& e, const WindowAxis& width, const Coordinates& at) {
  return at[3].step != 0 && !e.interior && !width.always_inside();
}

Value* Gathered(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes, FoldKind kind,
                const Taps& rows, const Taps& columns) {
  KernelBuilder& b = e.b();
  const auto axes = *WindowOf(call);
  const bool is_unsigned = call.type->dtype == DType::kUInt8;
  Value* identity = FoldIdentity(b, kind, VectorOf(ElementType(b, call.type->dtype), lanes.count), is_unsigned);
  return ForTaps(b, rows, identity, [&](Value* kh, Value* row) {
    return ForTaps(b, columns, row, [&](Value* kw, Value* sum) {
      const Coordinates from{at[0], at[1], TapCoordinate(b, axes[0], at[2], kh), TapCoordinate(b, axes[1], at[3], kw)};
      return FoldPair(b, kind, sum, e.Eval(call.args[0], from, lanes), is_unsigned);
    });
  });
}

// The largest of a window whose taps are known, NaN when one is. Whether any is asks two at a time, beside the maxima:
// asking each as it comes, and keeping it, is three instructions a tap.
Value* LargestInside(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  auto& ir = b.ir();
  const auto axes = *WindowOf(call);
  Value *largest = nullptr, *unpaired = nullptr, *any_nan = nullptr;
  const auto ask = [&](Value* x, Value* y) {
    Value* unordered = ir.CreateFCmpUNO(x, y);
    any_nan = any_nan == nullptr ? unordered : ir.CreateOr(any_nan, unordered);
  };
  for (int64_t kh = 0; kh < axes[0].size; ++kh) {
    for (int64_t kw = 0; kw < axes[1].size; ++kw) {
      const Coordinates from{at[0], at[1], TapCoordinate(b, axes[0], at[2], b.Index(kh)),
                             TapCoordinate(b, axes[1], at[3], b.Index(kw))};
      Value* tap = e.Eval(call.args[0], from, lanes);
      largest = largest == nullptr ? tap : b.FMax(largest, tap);
      if (unpaired != nullptr) ask(unpaired, tap);
      unpaired = unpaired == nullptr ? tap : nullptr;
    }
  }
  if (unpaired != nullptr) ask(unpaired, unpaired);
  return ir.CreateSelect(any_nan, llvm::ConstantFP::getNaN(largest->getType()), largest);
}

// The taps on data or padding: only right of the padding, which ceil_mode may reach, nothing counts.
Value* PaddedTaps(KernelBuilder& b, const WindowAxis& axis, Value* at) {
  WindowAxis padded = axis;
  padded.in = axis.before + axis.in + axis.after;
  padded.before = 0;
  padded.after = 0;
  const Taps taps = TapsAt(b, padded, at, false);
  return b.Sub(taps.last, taps.first);
}

Value* CountTaps(KernelBuilder& b, const WindowAxis& axis, Value* at, const Taps& taps, bool include_padding) {
  return include_padding ? PaddedTaps(b, axis, at) : b.Sub(taps.last, taps.first);
}

Value* MaxPool(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto axes = *WindowOf(call);
  if (LanesDiffer(e, axes[1], at)) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return MaxPool(e, call, one, kScalar); });
  }
  constexpr int64_t kMostInLine = 49;
  const bool inside = e.interior || (axes[0].always_inside() && axes[1].always_inside());
  const bool floats = call.type->dtype == DType::kFloat32;
  if (inside && floats && axes[0].size * axes[1].size <= kMostInLine) return LargestInside(e, call, at, lanes);
  const Taps rows = TapsAt(e.b(), axes[0], at[2].base, e.interior);
  const Taps columns = TapsAt(e.b(), axes[1], at[3].base, e.interior);
  return Gathered(e, call, at, lanes, FoldKind::kMax, rows, columns);
}

Value* AveragePool(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const auto axes = *WindowOf(call);
  if (LanesDiffer(e, axes[1], at)) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return AveragePool(e, call, one, kScalar); });
  }
  const bool padding_counts = call.attrs.GetBool("count_include_pad");
  const Taps rows = TapsAt(b, axes[0], at[2].base, e.interior);
  const Taps columns = TapsAt(b, axes[1], at[3].base, e.interior);
  Value* sum = Gathered(e, call, at, lanes, FoldKind::kSum, rows, columns);
  if (e.interior) return b.FDiv(sum, b.FloatVec(static_cast<float>(axes[0].size * axes[1].size), lanes.count));
  Value* count = b.Mul(CountTaps(b, axes[0], at[2].base, rows, padding_counts),
                       CountTaps(b, axes[1], at[3].base, columns, padding_counts));
  // A window without any tap has the sum 0 and stays so.
  Value* divisor = b.ir().CreateSIToFP(b.Max(count, b.Index(1)), b.f32());
  return b.FDiv(sum, b.Splat(divisor, lanes.count));
}

}  // namespace

EmitterTable PoolEmitters() { return {{"nn.max_pool2d", MaxPool}, {"nn.avg_pool2d", AveragePool}}; }

}  // namespace hone
