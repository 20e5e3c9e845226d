// Remainders of divisions.
#include <limits>

#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

// The remainder with the sign of x. It never traps: the remainder of a division by 0 is 0.
Value* OfIntegers(KernelBuilder& b, Value* x, Value* y, bool is_unsigned) {
  auto& ir = b.ir();
  Value* is_trivial = ir.CreateICmpEQ(y, Like(y, 0));
  if (!is_unsigned) is_trivial = ir.CreateOr(is_trivial, ir.CreateICmpEQ(y, Like(y, -1)));
  Value* safe = ir.CreateSelect(is_trivial, Like(y, 1), y);
  return is_unsigned ? ir.CreateURem(x, safe) : ir.CreateSRem(x, safe);
}

// The dividend minus the divisor times the upper bits of the quotient; below 2^28 these are its integer part. In
// double, the product of 29 bits with a float is exact, and so is the difference of two numbers that are close.
Value* Reduced(KernelBuilder& b, Value* dividend, Value* divisor) {
  auto& ir = b.ir();
  constexpr uint64_t kUpperBits = ~((uint64_t{1} << 24) - 1);
  constexpr double kWhole = 0x1p28;  // from here on the upper bits are an integer
  llvm::Type *bit_type = dividend->getType()->getWithNewType(b.i64()), *whole = bit_type->getWithNewType(b.i32());
  Value* bits = ir.CreateBitCast(b.FDiv(dividend, divisor), bit_type);
  Value* upper =
      ir.CreateBitCast(ir.CreateAnd(bits, llvm::ConstantInt::get(bit_type, kUpperBits)), dividend->getType());
  Value* bounded = b.FMin(b.FMax(upper, Like(upper, -kWhole)), Like(upper, kWhole));
  Value* number = ir.CreateSelect(ir.CreateFCmpUNO(bounded, bounded), Like(bounded, 0), bounded);
  Value* cut = ir.CreateSIToFP(ir.CreateFPToSI(number, whole), dividend->getType());
  Value* quotient = ir.CreateSelect(ir.CreateFCmpOLT(upper, Like(upper, kWhole)), cut, upper);
  return b.FSub(dividend, b.FMul(quotient, divisor));
}

// Whether any lane of a vector of i1 is true; a scalar itself.
Value* AnyOf(KernelBuilder& b, Value* truth) {
  return truth->getType()->isVectorTy() ? b.ir().CreateOrReduce(truth) : truth;
}

// A quotient of two floats is below 2^277. Most are below 2^28, where one step leaves at most the divisor. A quotient
// that rounded up to the next integer leaves a remainder of the wrong sign, which adding one divisor corrects.
Value* OfFloats(KernelBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  llvm::Type* wide = x->getType()->getWithNewType(b.f64());
  const auto magnitude = [&](Value* v) {
    return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, ir.CreateFPExt(v, wide));
  };
  Value *dividend = magnitude(x), *divisor = magnitude(y);
  Value* rest = LoopWhile(
      b, {Reduced(b, dividend, divisor)},
      [&](const Vals& rests) { return AnyOf(b, ir.CreateFCmpOGE(rests[0], divisor)); },
      [&](const Vals& rests) { return Vals{Reduced(b, rests[0], divisor)}; })[0];
  rest = ir.CreateSelect(ir.CreateFCmpOLT(rest, Like(rest, 0)), b.FAdd(rest, divisor), rest);
  // An infinite divisor leaves the dividend; divisors of 0 and NaN give NaN.
  const double infinity = std::numeric_limits<double>::infinity();
  rest = ir.CreateSelect(ir.CreateFCmpOEQ(divisor, Like(rest, infinity)), dividend, rest);
  Value* undefined =
      ir.CreateOr(ir.CreateFCmpUEQ(divisor, Like(rest, 0)), ir.CreateFCmpUEQ(dividend, Like(rest, infinity)));
  rest = ir.CreateSelect(undefined, Like(rest, std::numeric_limits<double>::quiet_NaN()), rest);
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, ir.CreateFPTrunc(rest, x->getType()), x);
}

Value* Mod(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return IsFloat(x) ? OfFloats(e.b(), RequireFloat(x, call), y) : OfIntegers(e.b(), x, y, IsUnsigned(call));
}

Value* FloorMod(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  Value *rest = Mod(e, call, at, lanes), *y = Argument(e, call, 1, at, lanes);
  if (!IsFloat(rest) && IsUnsigned(call)) return rest;
  Value* zero = Like(rest, 0);
  const auto negative = [&](Value* v) { return IsFloat(v) ? ir.CreateFCmpOLT(v, zero) : ir.CreateICmpSLT(v, zero); };
  Value* differs = ir.CreateXor(negative(rest), negative(y));
  Value* is_some = IsFloat(rest) ? ir.CreateFCmpUNE(rest, zero) : ir.CreateICmpNE(rest, zero);
  Value* moved = IsFloat(rest) ? e.b().FAdd(rest, y) : ir.CreateAdd(rest, y);
  return ir.CreateSelect(ir.CreateAnd(is_some, differs), moved, rest);
}

}  // namespace

EmitterTable ModuloEmitters() { return {{"mod", Mod}, {"floor_mod", FloorMod}}; }

}  // namespace hone
