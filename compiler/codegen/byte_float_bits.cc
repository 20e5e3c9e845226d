#include "compiler/codegen/byte_float_bits.h"

#include <cmath>

namespace hone {
namespace {

constexpr uint32_t kInfiniteFloat = 0x7f800000;

// 32-bit integers of as many lanes as a value.
class ByteFloatCode {
 public:
  ByteFloatCode(KernelBuilder& b, const ByteFloatFormat& format, Value* like)
      : ir_(b.ir()),
        format_(format),
        wide_(like->getType()->getWithNewType(b.i32())),
        real_(like->getType()->getWithNewType(b.f32())) {}

  llvm::Type* wide() const { return wide_; }
  llvm::Type* real() const { return real_; }
  Value* Number(uint32_t n) const { return llvm::ConstantInt::get(wide_, n); }

  // A power of two is a float32's exponent; the exponent 0 is that of half the least normal number.
  Value* ValueOfPower(Value* code) const {
    Value* normal = ir_.CreateShl(code, 23);
    Value* finite = ir_.CreateSelect(ir_.CreateICmpEQ(code, Number(0)), Number(0x400000), normal);
    Value* bits = ir_.CreateSelect(ir_.CreateICmpEQ(code, Number(255)), Number(0x7fc00000), finite);
    return ir_.CreateBitCast(bits, real_);
  }

  Value* ValueOf(Value* code) const {
    if (!format_.is_signed) return ValueOfPower(code);
    Value* magnitude = ir_.CreateAnd(code, Number(format_.sign_bit() - 1));
    const int place = 1 - format_.bias - format_.fraction_bits;
    Value* denormal =
        ir_.CreateFMul(ir_.CreateSIToFP(magnitude, real_), llvm::ConstantFP::get(real_, std::ldexp(1.0, place)));
    Value* normal = ir_.CreateAdd(ir_.CreateShl(magnitude, Dropped()), Number(BiasStep()));
    Value* is_normal = ir_.CreateICmpUGE(magnitude, Number(uint32_t{1} << format_.fraction_bits));
    Value* bits = ir_.CreateSelect(is_normal, normal, ir_.CreateBitCast(denormal, wide_));
    if (format_.ends == ByteFloatFormat::Ends::kInfinity) {
      bits = ir_.CreateSelect(ir_.CreateICmpEQ(magnitude, Number(format_.beyond())), Number(kInfiniteFloat), bits);
    }
    Value* sign = ir_.CreateShl(ir_.CreateAnd(code, Number(format_.sign_bit())), SignShift());
    bits = ir_.CreateOr(bits, sign);
    if (Value* is_nan = IsNan(code, magnitude)) bits = ir_.CreateSelect(is_nan, Number(0x7fc00000), bits);
    return ir_.CreateBitCast(bits, real_);
  }

  Value* PowerOf(Value* magnitude, const ByteConversion& by) const {
    Value* raised = magnitude;
    if (by.rounding == ByteRounding::kUp) raised = ir_.CreateAdd(magnitude, Number(0x7fffff));
    if (by.rounding == ByteRounding::kNearest) {
      Value* is_denormal = ir_.CreateICmpULT(magnitude, Number(0x800000));
      raised = ir_.CreateAdd(magnitude, ir_.CreateSelect(is_denormal, Number(0x3fffff), Number(0x400000)));
    }
    Value* code = ir_.CreateLShr(raised, 23);
    if (by.saturates) code = ir_.CreateSelect(ir_.CreateICmpUGT(code, Number(254)), Number(254), code);
    return ir_.CreateSelect(ir_.CreateICmpUGE(magnitude, Number(kInfiniteFloat)), Number(255), code);
  }

  Value* CodeOf(Value* x, const ByteConversion& by) const {
    Value* bits = ir_.CreateBitCast(x, wide_);
    Value* magnitude = ir_.CreateAnd(bits, Number(0x7fffffff));
    if (!format_.is_signed) return PowerOf(magnitude, by);
    Value* code = NearestCode(magnitude);
    const uint32_t beyond = by.saturates ? format_.largest() : format_.beyond();
    Value* is_beyond = ir_.CreateICmpUGT(code, Number(format_.largest()));
    code = ir_.CreateSelect(is_beyond, Number(beyond), code);
    Value* sign = ir_.CreateAnd(ir_.CreateLShr(bits, SignShift()), Number(format_.sign_bit()));
    Value* is_nan = ir_.CreateICmpUGT(magnitude, Number(kInfiniteFloat));
    using Ends = ByteFloatFormat::Ends;
    if (format_.ends == Ends::kNumbers) {
      return ir_.CreateSelect(is_nan, ir_.CreateXor(sign, Number(format_.nan())), ir_.CreateOr(code, sign));
    }
    if (format_.ends != Ends::kNanForMinusZero) {
      return ir_.CreateOr(ir_.CreateSelect(is_nan, Number(format_.nan()), code), sign);
    }
    // Minus zero is NaN there, and so is what lies beyond the largest number, whatever the sign.
    Value* has_no_sign = ir_.CreateOr(ir_.CreateICmpEQ(code, Number(0)), ir_.CreateICmpEQ(code, Number(format_.nan())));
    Value* signed_code = ir_.CreateSelect(has_no_sign, code, ir_.CreateOr(code, sign));
    return ir_.CreateSelect(is_nan, Number(format_.nan()), signed_code);
  }

 private:
  int Dropped() const { return 23 - format_.fraction_bits; }
  int SignShift() const { return 31 - format_.exponent_bits - format_.fraction_bits; }
  uint32_t BiasStep() const { return static_cast<uint32_t>(127 - format_.bias) << 23; }

  // Null if no code is NaN.
  Value* IsNan(Value* code, Value* magnitude) const {
    using Ends = ByteFloatFormat::Ends;
    if (format_.ends == Ends::kNumbers) return nullptr;
    if (format_.ends == Ends::kNanForMinusZero) return ir_.CreateICmpEQ(code, Number(format_.nan()));
    return ir_.CreateICmpUGE(magnitude, Number(format_.ends == Ends::kNan ? format_.nan() : format_.beyond() + 1));
  }

  // The code of the nearest number, ties to even; beyond the format's codes if the magnitude is.
  Value* NearestCode(Value* magnitude) const {
    Value* odd = ir_.CreateAnd(ir_.CreateLShr(magnitude, Dropped()), Number(1));
    Value* rounded = ir_.CreateAdd(magnitude, ir_.CreateAdd(odd, Number((uint32_t{1} << (Dropped() - 1)) - 1)));
    Value* normal = ir_.CreateLShr(ir_.CreateSub(rounded, Number(BiasStep())), Dropped());
    // The last place of this power of two is that of a denormal number, so a sum with it is rounded there.
    const double anchor = std::ldexp(1.0, 24 - format_.bias - format_.fraction_bits);
    Value* anchored = llvm::ConstantFP::get(real_, anchor);
    Value* sum = ir_.CreateBitCast(ir_.CreateFAdd(ir_.CreateBitCast(magnitude, real_), anchored), wide_);
    Value* denormal = ir_.CreateSub(sum, ir_.CreateBitCast(anchored, wide_));
    const uint32_t least_normal = static_cast<uint32_t>(128 - format_.bias) << 23;
    return ir_.CreateSelect(ir_.CreateICmpULT(magnitude, Number(least_normal)), denormal, normal);
  }

  llvm::IRBuilder<>& ir_;
  const ByteFloatFormat& format_;
  llvm::Type *wide_, *real_;
};

}  // namespace

Value* FromByteFloat(KernelBuilder& b, const ByteFloatFormat& format, Value* bytes) {
  const ByteFloatCode code(b, format, bytes);
  return code.ValueOf(b.ir().CreateZExt(bytes, code.wide()));
}

Value* ToByteFloat(KernelBuilder& b, const ByteFloatFormat& format, Value* x, const ByteConversion& by) {
  const ByteFloatCode code(b, format, x);
  return b.ir().CreateTrunc(code.CodeOf(x, by), x->getType()->getWithNewType(b.ir().getInt8Ty()));
}

}  // namespace hone
