#include "compiler/schedules/conv2d/winograd_transform.h"

#include "compiler/codegen/math/float_bits.h"

namespace hone {
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

}  // namespace hone
