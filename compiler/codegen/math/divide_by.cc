#include "compiler/codegen/math/divide_by.h"

#include <cmath>

namespace hone {
namespace {

bool IsPowerOfTwo(float x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5F;
}

// Cost in multiply-adds: five of them, and the comparisons that bound the dividend.
constexpr double kProducts = 7;

}  // namespace

// The reciprocal of a power of two is exact, and code generation finds it itself.
bool DividesByProducts(const MachineModel& machine, float divisor) {
  const float magnitude = std::abs(divisor);
  return machine.has_fma && machine.division_cost > kProducts && magnitude >= 0x1p-60F && magnitude <= 0x1p60F &&
         !IsPowerOfTwo(magnitude);
}

Value* EmitDivideBy(KernelBuilder& b, Value* x, float divisor) {
  const auto like = [&](float value) { return llvm::ConstantFP::get(x->getType(), value); };
  if (!DividesByProducts(b.machine(), divisor)) return b.FDiv(x, like(divisor));
  const auto fused = [&](Value* a, Value* c, Value* sum) {
    return b.ir().CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {a, c, sum});
  };
  Value* reciprocal = like(1 / divisor);
  Value* quotient = b.FMul(x, reciprocal);
  for (int correction = 0; correction < 2; ++correction) {
    quotient = fused(fused(quotient, like(-divisor), x), reciprocal, quotient);
  }
  return quotient;
}

}  // namespace hone
