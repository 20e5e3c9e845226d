#include "compiler/codegen/math/rounding.h"

#include <bit>
#include <cmath>

#include "compiler/codegen/math/float_bits.h"

namespace hone {
namespace {

// From 2^23 on every float is an integer.
constexpr float kAllWhole = 8388608.0f;

// `rounded`, moved by `by` in lanes where it is on the wrong side of x.
Value* Moved(KernelBuilder& b, Value* rounded, Value* wrong, float by) {
  return b.FAdd(rounded, b.ir().CreateSelect(wrong, FloatConstant(b, rounded, by), FloatConstant(b, rounded, 0)));
}

}  // namespace

Value* EmitRound(KernelBuilder& b, Value* x) {
  if (b.machine().has_rounding) return b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
  Value* magnitude = Magnitude(b, x);
  // At 2^23 the last bit stands for one, so the addition rounds as the processor does: halves to even.
  Value* shifted = b.FAdd(magnitude, FloatConstant(b, x, kAllWhole));
  Value* whole = WithSignOf(b, b.FSub(shifted, FloatConstant(b, x, kAllWhole)), x);
  return b.ir().CreateSelect(Below(b, magnitude, kAllWhole), whole, x);
}

Value* EmitFloor(KernelBuilder& b, Value* x) {
  Value* nearest = EmitRound(b, x);
  return Moved(b, nearest, b.ir().CreateICmpSGT(EmitOrder(b, nearest), EmitOrder(b, x)), -1);
}

Value* EmitCeil(KernelBuilder& b, Value* x) {
  Value* nearest = EmitRound(b, x);
  Value* below = b.ir().CreateICmpSLT(EmitOrder(b, nearest), EmitOrder(b, x));
  return WithSignOf(b, Moved(b, nearest, below, 1), x);
}

Value* EmitTrunc(KernelBuilder& b, Value* x) { return WithSignOf(b, EmitFloor(b, Magnitude(b, x)), x); }

Value* EmitNearestWhole(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  // A product fused into the sum would make it round another value.
  const llvm::IRBuilderBase::FastMathFlagGuard restores(ir);
  ir.clearFastMathFlags();
  // From 2^23 to 2^24 the last bit stands for one. Integers on both sides of the middle are in the last 22 bits.
  constexpr float kMiddle = 1.5F * kAllWhole;
  llvm::Type* wide = x->getType()->getWithNewType(b.i32());
  Value* bits = ir.CreateBitCast(b.FAdd(x, FloatConstant(b, x, kMiddle)), wide);
  return ir.CreateSub(bits, llvm::ConstantInt::get(wide, std::bit_cast<uint32_t>(kMiddle)));
}

namespace {

bool IsPowerOfTwo(float x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5F;
}

// Cost in multiply-adds: five of them, and the comparisons that bound the dividend.
constexpr double kProducts = 7;

Value* QuotientByProducts(KernelBuilder& b, Value* x, Value* minus_divisor, Value* reciprocal) {
  const auto fused = [&](Value* a, Value* c, Value* sum) {
    return b.ir().CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {a, c, sum});
  };
  Value* quotient = b.FMul(x, reciprocal);
  for (int correction = 0; correction < 2; ++correction) {
    quotient = fused(fused(quotient, minus_divisor, x), reciprocal, quotient);
  }
  return quotient;
}

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
  return QuotientByProducts(b, x, like(-divisor), like(1 / divisor));
}

Value* EmitDivideByScalar(KernelBuilder& b, Value* x, Value* divisor) {
  const int lanes = LaneCount(x);
  const auto number = [&](double value) { return llvm::ConstantFP::get(divisor->getType(), value); };
  if (!b.machine().has_fma || b.machine().division_cost <= kProducts) return b.FDiv(x, b.Splat(divisor, lanes));
  auto& ir = b.ir();
  Value* magnitude = Magnitude(b, divisor);
  Value* holds =
      ir.CreateAnd(ir.CreateFCmpOGE(magnitude, number(0x1p-60)), ir.CreateFCmpOLE(magnitude, number(0x1p60)));
  Value *fast = nullptr, *slow = nullptr;
  llvm::BasicBlock *from_fast = nullptr, *from_slow = nullptr;
  b.If(
      holds,
      [&] {
        Value* most = b.FMul(magnitude, number(0x1p60));
        Value* bounded = b.FMin(b.FMax(x, b.Splat(ir.CreateFNeg(most), lanes)), b.Splat(most, lanes));
        Value *minus = b.Splat(ir.CreateFNeg(divisor), lanes), *inverse = b.Splat(b.FDiv(number(1), divisor), lanes);
        fast = QuotientByProducts(b, bounded, minus, inverse);
        from_fast = ir.GetInsertBlock();
      },
      [&] {
        slow = b.FDiv(x, b.Splat(divisor, lanes));
        from_slow = ir.GetInsertBlock();
      });
  llvm::PHINode* quotient = ir.CreatePHI(x->getType(), 2);
  quotient->addIncoming(fast, from_fast);
  quotient->addIncoming(slow, from_slow);
  return quotient;
}

}  // namespace hone
