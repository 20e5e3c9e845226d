// Pools over a sliding window.
#include "compiler/generic/fold.h"
#include "compiler/generic/window.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

// Whether lanes along the width see borders of their own. If so, they begin at a known position, or run one by one.
enum class Border : uint8_t { kNone, kKnown, kUnknown };
Border BorderOf(const Evaluator& e, const WindowAxis& width, const Coordinates& at) {
  if (at[3].step == 0 || e.interior || e.columns_inside || width.always_inside()) return Border::kNone;
  return llvm::isa<llvm::ConstantInt>(at[3].base) ? Border::kKnown : Border::kUnknown;
}

int64_t FirstOf(const Coordinate& c) { return llvm::cast<llvm::ConstantInt>(c.base)->getSExtValue(); }

// The fold of a pool over its windows.
struct Gathering {
  const relay::Call& call;
  FoldKind kind;
  std::array<WindowAxis, 2> axes;
  bool is_unsigned() const { return call.type->dtype == DType::kUInt8; }
  Value* Identity(KernelBuilder& b, int lanes) const {
    return FoldIdentity(b, kind, VectorOf(ElementType(b, call.type->dtype), lanes), is_unsigned());
  }
};

// The taps of a row of the window, for lanes at a known position.
Value* GatheredAtBorder(Evaluator& e, const Gathering& g, const Coordinates& at, Lanes lanes, const Coordinate& row,
                        Value* sum) {
  KernelBuilder& b = e.b();
  for (int64_t kw = 0; kw < g.axes[1].size; ++kw) {
    const auto read = [&](const Coordinate& from, Lanes wanted) {
      return e.Eval(g.call.args[0], {at[0], at[1], row, from}, wanted);
    };
    Value* tap = TapAtBorder(b, g.axes[1], FirstOf(at[3]), kw, lanes, g.Identity(b, lanes.count), read);
    if (tap != nullptr) sum = FoldPair(b, g.kind, sum, tap, g.is_unsigned());
  }
  return sum;
}

Value* Gathered(Evaluator& e, const Gathering& g, const Coordinates& at, Lanes lanes, const Taps& rows) {
  KernelBuilder& b = e.b();
  const bool known = BorderOf(e, g.axes[1], at) == Border::kKnown;
  const Taps columns = known ? Taps() : TapsAt(b, g.axes[1], at[3].base, e.interior || e.columns_inside);
  return ForTaps(b, rows, g.Identity(b, lanes.count), [&](Value* kh, Value* sum) {
    const Coordinate row = TapCoordinate(b, g.axes[0], at[2], kh);
    if (known) return GatheredAtBorder(e, g, at, lanes, row, sum);
    return ForTaps(b, columns, sum, [&](Value* kw, Value* part) {
      const Coordinates from{at[0], at[1], row, TapCoordinate(b, g.axes[1], at[3], kw)};
      return FoldPair(b, g.kind, part, e.Eval(g.call.args[0], from, lanes), g.is_unsigned());
    });
  });
}

// The largest of a window whose taps are known; NaN if one is. One instruction tests two taps for NaN, beside the
// maxima. Testing and keeping each tap by itself would take three instructions a tap.
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

Value* MaxPool(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto axes = *WindowOf(call);
  if (BorderOf(e, axes[1], at) == Border::kUnknown) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return MaxPool(e, call, one, kScalar); });
  }
  constexpr int64_t kMostInLine = 49;
  const bool inside = e.interior || (axes[0].always_inside() && (e.columns_inside || axes[1].always_inside()));
  const bool floats = call.type->dtype == DType::kFloat32;
  if (inside && floats && axes[0].size * axes[1].size <= kMostInLine) return LargestInside(e, call, at, lanes);
  const Taps rows = TapsAt(e.b(), axes[0], at[2].base, e.interior);
  return Gathered(e, {call, FoldKind::kMax, axes}, at, lanes, rows);
}

// The taps on data or padding. Only positions right of the padding, which ceil_mode may reach, do not count.
Value* PaddedTaps(KernelBuilder& b, const WindowAxis& axis, Value* at) {
  WindowAxis padded = axis;
  padded.in = axis.before + axis.in + axis.after;
  padded.before = 0;
  padded.after = 0;
  const Taps taps = TapsAt(b, padded, at, false);
  return b.Sub(taps.last, taps.first);
}

// Number of taps that count along an axis, at least 1: a window without any has the sum 0, which stays so.
Value* CountOf(Evaluator& e, const WindowAxis& axis, const Coordinate& at, bool padding_counts, bool inside) {
  KernelBuilder& b = e.b();
  if (inside || axis.always_inside()) return b.Float(static_cast<float>(axis.size));
  const Taps taps = TapsAt(b, axis, at.base, false);
  Value* count = padding_counts ? PaddedTaps(b, axis, at.base) : b.Sub(taps.last, taps.first);
  return b.ir().CreateSIToFP(b.Max(count, b.Index(1)), b.f32());
}

// The counts of lanes at a known position.
Value* CountsAtBorder(KernelBuilder& b, const WindowAxis& axis, int64_t first, bool padding_counts, Lanes lanes) {
  std::vector<llvm::Constant*> counts;
  for (int l = 0; l < lanes.count; ++l) {
    const int64_t count = std::max<int64_t>(axis.CountTaps(first + l, padding_counts), 1);
    counts.push_back(llvm::ConstantFP::get(b.f32(), static_cast<double>(count)));
  }
  return llvm::ConstantVector::get(counts);
}

Value* AveragePool(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const auto axes = *WindowOf(call);
  const Border border = BorderOf(e, axes[1], at);
  if (border == Border::kUnknown) {
    return e.PerLane(lanes, at, call.type->dtype,
                     [&](const Coordinates& one) { return AveragePool(e, call, one, kScalar); });
  }
  const bool padding_counts = call.attrs.GetBool("count_include_pad");
  const Taps rows = TapsAt(b, axes[0], at[2].base, e.interior);
  Value* sum = Gathered(e, {call, FoldKind::kSum, axes}, at, lanes, rows);
  Value* in_column = CountOf(e, axes[0], at[2], padding_counts, e.interior);
  if (border == Border::kKnown) {
    Value* counts = CountsAtBorder(b, axes[1], FirstOf(at[3]), padding_counts, lanes);
    return b.FDiv(sum, b.FMul(counts, b.Splat(in_column, lanes.count)));
  }
  Value* in_row = CountOf(e, axes[1], at[3], padding_counts, e.interior || e.columns_inside);
  return b.FDiv(sum, b.Splat(b.FMul(in_column, in_row), lanes.count));
}

}  // namespace

EmitterTable PoolEmitters() { return {{"nn.max_pool2d", MaxPool}, {"nn.avg_pool2d", AveragePool}}; }

}  // namespace hone
