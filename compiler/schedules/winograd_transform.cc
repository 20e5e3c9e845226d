#include "compiler/schedules/winograd_transform.h"

namespace hone {
namespace {

// In every lane, of x's type.
Value* Like(Value* x, double factor) { return llvm::ConstantFP::get(x->getType(), factor); }

bool IsWhole(Value* x) { return x->getType()->isIntOrIntVectorTy(); }

Value* Sum(KernelBuilder& b, Value* x, Value* y) { return IsWhole(x) ? b.ir().CreateAdd(x, y) : b.FAdd(x, y); }
Value* Difference(KernelBuilder& b, Value* x, Value* y) { return IsWhole(x) ? b.ir().CreateSub(x, y) : b.FSub(x, y); }

}  // namespace

Vals WinogradInput(KernelBuilder& b, const Vals& d) {
  if (d.size() == 4) {
    return {Difference(b, d[0], d[2]), Sum(b, d[1], d[2]), Difference(b, d[2], d[1]), Difference(b, d[1], d[3])};
  }
  const auto times = [&](double factor, Value* x, Value* plus) { return b.Fma(Like(x, factor), x, plus); };
  Value* even4 = times(-4, d[2], d[4]);
  Value* odd4 = times(-4, d[1], d[3]);
  Value* even1 = b.FSub(d[4], d[2]);
  Value* odd1 = b.FMul(Like(d[1], 2), b.FSub(d[3], d[1]));
  return {times(4, d[0], times(-5, d[2], d[4])),
          b.FAdd(even4, odd4),
          b.FSub(even4, odd4),
          b.FAdd(even1, odd1),
          b.FSub(even1, odd1),
          times(4, d[1], times(-5, d[3], d[5]))};
}

Vals WinogradOutput(KernelBuilder& b, const Vals& t) {
  Value* sum1 = Sum(b, t[1], t[2]);
  Value* difference1 = Difference(b, t[1], t[2]);
  if (t.size() == 4) return {Sum(b, t[0], sum1), Difference(b, difference1, t[3])};
  const auto times = [&](double factor, Value* x, Value* plus) { return b.Fma(Like(x, factor), x, plus); };
  Value* sum2 = b.FAdd(t[3], t[4]);
  Value* difference2 = b.FSub(t[3], t[4]);
  return {b.FAdd(t[0], b.FAdd(sum1, sum2)), times(2, difference2, difference1), times(4, sum2, sum1),
          b.FAdd(times(8, difference2, difference1), t[5])};
}

}  // namespace hone
