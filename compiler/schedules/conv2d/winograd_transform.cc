#include "compiler/schedules/conv2d/winograd_transform.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"

namespace hone {

void FillWinogradPatch(KernelBuilder& b, const WinogradPlane& plane, int64_t side, Value* data, Value* h, Value* w,
                       Value* patch) {
  const int64_t vector = Bytes(plane.dtype, plane.lanes);
  Value* zeros = llvm::Constant::getNullValue(VectorOf(ElementType(b, plane.dtype), plane.lanes));
  b.For(0, side, 1, [&](Value* r) {
    b.For(0, side, 1, [&](Value* c) {
      Value *y = b.Add(h, r), *x = b.Add(w, c);
      Value* target = b.At(patch, b.Mul(b.Add(b.Mul(r, side), c), vector));
      // As unsigned numbers, so that negative indices are outside too.
      Value* inside = b.ir().CreateAnd(b.ir().CreateICmpULT(y, b.Index(plane.height)),
                                       b.ir().CreateICmpULT(x, b.Index(plane.width)));
      b.If(
          inside,
          [&] {
            Value* from = b.At(data, b.Mul(b.Add(b.Mul(y, plane.width), x), vector));
            b.Store(LoadElements(b, plane.dtype, from, plane.lanes), target);
          },
          [&] { b.Store(zeros, target); });
    });
  });
}

namespace {

bool IsWhole(Value* x) { return x->getType()->isIntOrIntVectorTy(); }

Value* Sum(KernelBuilder& b, Value* x, Value* y) { return IsWhole(x) ? b.ir().CreateAdd(x, y) : b.FAdd(x, y); }
Value* Difference(KernelBuilder& b, Value* x, Value* y) { return IsWhole(x) ? b.ir().CreateSub(x, y) : b.FSub(x, y); }

Value* Times(KernelBuilder& b, int64_t factor, Value* x) {
  return b.ir().CreateMul(x, llvm::ConstantInt::getSigned(x->getType(), factor));
}
Value* Shifted(KernelBuilder& b, Value* x, uint64_t by) { return b.ir().CreateShl(x, by); }

// The input transform of six integers, with e[i] = d[i + 2] - d[i]. The polynomials of all points but 1 and -1 are
// multiples of x^2 - 1, and those two share a sum and a difference.
Vals WholeInput(KernelBuilder& b, const Vals& d) {
  const auto less = [&](Value* x, Value* y) { return Difference(b, x, y); };
  Vals e;
  for (size_t i = 0; i < 4; ++i) e.push_back(less(d[i + 2], d[i]));
  Value *e1 = Shifted(b, e[1], 1), *e2 = Shifted(b, e[2], 1);
  Value *even = less(Times(b, 3, d[3]), e2), *odd = less(Times(b, 3, d[2]), e1);
  return {less(Shifted(b, less(e[2], e[0]), 1), Times(b, 3, e[1])),
          Sum(b, e2, e[1]),
          Sum(b, even, odd),
          less(odd, even),
          less(e1, e[2]),
          less(Shifted(b, less(e[3], e[1]), 1), Times(b, 3, e[2]))};
}

Vals WholeOutput(KernelBuilder& b, const Vals& t) {
  Value *ones = Sum(b, t[2], t[3]), *signs = Difference(b, t[2], t[3]);
  return {Sum(b, Sum(b, t[0], t[1]), Sum(b, ones, Shifted(b, t[4], 3))),
          Sum(b, Shifted(b, t[1], 1), Difference(b, signs, Shifted(b, t[4], 2))),
          Sum(b, Shifted(b, t[1], 2), Sum(b, ones, Shifted(b, t[4], 1))),
          Sum(b, Sum(b, Shifted(b, t[1], 3), t[5]), Difference(b, signs, t[4]))};
}

}  // namespace

Vals WinogradInput(KernelBuilder& b, const Vals& d) {
  if (d.size() == 4) {
    return {Difference(b, d[0], d[2]), Sum(b, d[1], d[2]), Difference(b, d[2], d[1]), Difference(b, d[1], d[3])};
  }
  if (IsWhole(d[0])) return WholeInput(b, d);
  const auto times = [&](double factor, Value* x, Value* plus) { return b.Fma(ConstantLike(x, factor), x, plus); };
  Value* even4 = times(-4, d[2], d[4]);
  Value* odd4 = times(-4, d[1], d[3]);
  Value* even1 = b.FSub(d[4], d[2]);
  Value* odd1 = b.FMul(ConstantLike(d[1], 2), b.FSub(d[3], d[1]));
  return {times(4, d[0], times(-5, d[2], d[4])),
          b.FAdd(even4, odd4),
          b.FSub(even4, odd4),
          b.FAdd(even1, odd1),
          b.FSub(even1, odd1),
          times(4, d[1], times(-5, d[3], d[5]))};
}

Vals WinogradOutput(KernelBuilder& b, const Vals& t) {
  if (t.size() == 6 && IsWhole(t[0])) return WholeOutput(b, t);
  Value* sum1 = Sum(b, t[1], t[2]);
  Value* difference1 = Difference(b, t[1], t[2]);
  if (t.size() == 4) return {Sum(b, t[0], sum1), Difference(b, difference1, t[3])};
  const auto times = [&](double factor, Value* x, Value* plus) { return b.Fma(ConstantLike(x, factor), x, plus); };
  Value* sum2 = b.FAdd(t[3], t[4]);
  Value* difference2 = b.FSub(t[3], t[4]);
  return {b.FAdd(t[0], b.FAdd(sum1, sum2)), times(2, difference2, difference1), times(4, sum2, sum1),
          b.FAdd(times(8, difference2, difference1), t[5])};
}

Vals WinogradFilter(KernelBuilder& b, const Vals& g, int64_t alpha) {
  Value* outer = Sum(b, g[0], g[2]);
  if (alpha == 4) return {Shifted(b, g[0], 1), Sum(b, outer, g[1]), Difference(b, outer, g[1]), Shifted(b, g[2], 1)};
  Value *outer5 = Times(b, 5, outer), *middle5 = Times(b, 5, g[1]), *middle2 = Shifted(b, g[1], 1);
  return {Times(b, 15, g[0]),
          Sum(b, Sum(b, g[0], middle2), Shifted(b, g[2], 2)),
          Sum(b, outer5, middle5),
          Difference(b, outer5, middle5),
          Sum(b, Difference(b, Shifted(b, g[0], 2), middle2), g[2]),
          Times(b, 15, g[2])};
}

namespace {

constexpr int64_t kSide = 3, kTaps = kSide * kSide;

// Transforms one vector of channel pairs: nine taps become alpha^2 frequencies.
void TransformOne(KernelBuilder& b, const WinogradNest& nest, Value* taps, Value* target, Value* scratch) {
  const int lanes = static_cast<int>(nest.group) * nest.lanes;
  const int64_t tap_bytes = Bytes(DType::kInt8, nest.knobs.tile_oc * lanes);
  auto* shorts = VectorOf(b.ir().getInt16Ty(), lanes);
  WinogradSquare half(b, shorts, nest.alpha, kSide, scratch);
  for (int64_t c = 0; c < kSide; ++c) {
    Vals column;
    for (int64_t r = 0; r < kSide; ++r) {
      Value* bytes = LoadElements(b, DType::kInt8, b.At(taps, (r * kSide + c) * tap_bytes), lanes);
      column.push_back(b.ir().CreateSExt(bytes, shorts));
    }
    const Vals done = WinogradFilter(b, column, nest.alpha);
    for (int64_t r = 0; r < nest.alpha; ++r) half.Set(r, c, Nth(done, r));
  }
  for (int64_t r = 0; r < nest.alpha; ++r) {
    const Vals done = WinogradFilter(b, {half.Get(r, 0), half.Get(r, 1), half.Get(r, 2)}, nest.alpha);
    for (int64_t c = 0; c < nest.alpha; ++c) {
      b.Store(Nth(done, c), b.At(target, (r * nest.alpha + c) * nest.filter_frequency_bytes));
    }
  }
}

}  // namespace

void EmitWinogradFilters(KernelBuilder& b, const WinogradNest& nest, Value* filters, Value* target, Value* scratch) {
  const int64_t vectors = nest.knobs.tile_oc, pairs = nest.in_blocks * nest.knobs.ic_block / nest.group;
  const int64_t from = Bytes(DType::kInt8, nest.group * nest.lanes), to = nest.weight_bytes * nest.group * nest.lanes;
  b.For(0, pairs, 1, [&](Value* pair) {
    b.For(0, vectors, 1, [&](Value* vector) {
      Value* taps = b.At(b.At(filters, b.Mul(pair, kTaps * vectors * from)), b.Mul(vector, from));
      TransformOne(b, nest, taps, b.At(b.At(target, b.Mul(pair, vectors * to)), b.Mul(vector, to)), scratch);
    });
  });
}

}  // namespace hone
