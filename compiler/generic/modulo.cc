// What a division leaves.
#include <limits>

#include "compiler/generic/argument.h"

namespace hone {
namespace {

// The remainder with the sign of x; never traps: that of a division by 0 is 0.
Value* OfIntegers(KernelBuilder& b, Value* x, Value* y, bool is_unsigned) {
  auto& ir = b.ir();
  Value* is_trivial = ir.CreateICmpEQ(y, Like(y, 0));
  if (!is_unsigned) is_trivial = ir.CreateOr(is_trivial, ir.CreateICmpEQ(y, Like(y, -1)));
  Value* safe = ir.CreateSelect(is_trivial, Like(y, 1), y);
  return is_unsigned ? ir.CreateURem(x, safe) : ir.CreateSRem(x, safe);
}

// In double, where the product of a quotient below 2^29 with a float is exact. A quotient that rounded up to the next
// whole number leaves a rest of the wrong sign, which one divisor mends.
Value* OfFloats(KernelBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  llvm::Type* wide = x->getType()->getWithNewType(b.f64());
  llvm::Type* whole = x->getType()->getWithNewType(b.i64());
  const auto magnitude = [&](Value* v) {
    return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, ir.CreateFPExt(v, wide));
  };
  Value *dividend = magnitude(x), *divisor = magnitude(y);
  Value* bounded = b.FMin(b.FDiv(dividend, divisor), llvm::ConstantFP::get(wide, 0x1p62));
  Value* number = ir.CreateSelect(ir.CreateFCmpUNO(bounded, bounded), Like(bounded, 0), bounded);
  Value* quotient = ir.CreateSIToFP(ir.CreateFPToSI(number, whole), wide);
  Value* rest = b.FSub(dividend, b.FMul(quotient, divisor));
  rest = ir.CreateSelect(ir.CreateFCmpOLT(rest, Like(rest, 0)), b.FAdd(rest, divisor), rest);
  // Of what fits into an infinite divisor nothing is taken away; 0 and NaN as divisors leave no number.
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
