#include "compiler/codegen/element.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cmath>

#include "compiler/codegen/byte_float_bits.h"
#include "compiler/codegen/math/float_bits.h"
#include "core/byte_floats.h"
#include "core/declared_types.h"
#include "core/error.h"

namespace hone {
namespace {

bool IsUnsigned(DType dtype) {
  using namespace declared;
  constexpr DType kUnsigned[] = {DType::kUInt8, DType::kBool, kUInt16, kUInt32, kUInt64, kUInt4, kUInt2};
  return std::ranges::find(kUnsigned, dtype) != std::end(kUnsigned);
}

// The number of bits of an integer that is only a part of its byte; 0 for other types.
unsigned BitsInByte(DType dtype) {
  if (dtype == declared::kInt4 || dtype == declared::kUInt4) return 4;
  return dtype == declared::kInt2 || dtype == declared::kUInt2 ? 2 : 0;
}

// The low bits of each byte, with their sign.
Value* FromLowBits(KernelBuilder& b, Value* bytes, DType dtype) {
  Value* high = b.ir().CreateShl(bytes, 8 - BitsInByte(dtype));
  return IsUnsigned(dtype) ? b.ir().CreateLShr(high, 8 - BitsInByte(dtype))
                           : b.ir().CreateAShr(high, 8 - BitsInByte(dtype));
}

// A bfloat16's bits are the upper half of a float32's.
Value* FromBFloat16(KernelBuilder& b, Value* bits) {
  auto& ir = b.ir();
  Value* wide = ir.CreateZExt(bits, bits->getType()->getWithNewType(b.i32()));
  return ir.CreateBitCast(ir.CreateShl(wide, 16), bits->getType()->getWithNewType(b.f32()));
}

// Rounds as BFloat16's constructor does (core/small_floats.h).
Value* ToBFloat16(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  // One instruction, with the same bits except for denormals, which a worker takes for zeros anyway.
  if (!b.machine().bfloat_dots_feature.empty()) {
    Value* rounded = ir.CreateFPTrunc(x, x->getType()->getWithNewType(ir.getBFloatTy()));
    return ir.CreateBitCast(rounded, x->getType()->getWithNewType(ir.getInt16Ty()));
  }
  llvm::Type* wide = x->getType()->getWithNewType(b.i32());
  const auto number = [&](uint32_t n) { return llvm::ConstantInt::get(wide, n); };
  Value* bits = ir.CreateBitCast(x, wide);
  Value* odd = ir.CreateAnd(ir.CreateLShr(bits, 16), number(1));
  Value* rounded = ir.CreateAdd(bits, ir.CreateAdd(odd, number(0x7fff)));
  Value* result = ir.CreateSelect(ir.CreateFCmpUNO(x, x), ir.CreateOr(bits, number(0x400000)), rounded);
  return ir.CreateTrunc(ir.CreateLShr(result, 16), x->getType()->getWithNewType(ir.getInt16Ty()));
}

llvm::Type* HalfLike(KernelBuilder& b, Value* v) { return v->getType()->getWithNewType(b.ir().getHalfTy()); }

// Exact; a NaN keeps its sign and fraction and becomes quiet, as the instruction makes it. Denormal halves are normal
// float32s: integer multiples of 2^-24.
Value* FromFloat16(KernelBuilder& b, Value* half) {
  auto& ir = b.ir();
  if (!b.machine().half_loads_feature.empty()) {
    return ir.CreateFPExt(ir.CreateBitCast(half, HalfLike(b, half)), half->getType()->getWithNewType(b.f32()));
  }
  llvm::Type* wide = half->getType()->getWithNewType(b.i32());
  llvm::Type* real = half->getType()->getWithNewType(b.f32());
  const auto number = [&](uint32_t n) { return llvm::ConstantInt::get(wide, n); };
  Value* bits = ir.CreateZExt(half, wide);
  Value* magnitude = ir.CreateAnd(bits, number(0x7fff));
  Value* shifted = ir.CreateShl(magnitude, 13);
  Value* denormal = ir.CreateFMul(ir.CreateSIToFP(magnitude, real), llvm::ConstantFP::get(real, 0x1p-24));
  // The exponent's bias is 112 more in float32; infinities and NaNs have the greatest exponent in both.
  Value* greatest =
      ir.CreateSelect(ir.CreateICmpUGT(magnitude, number(0x7c00)), number(0x7fc00000), number(0x7f800000));
  Value* normal = ir.CreateSelect(ir.CreateICmpUGE(magnitude, number(0x7c00)), ir.CreateOr(shifted, greatest),
                                  ir.CreateAdd(shifted, number(112U << 23)));
  Value* value = ir.CreateSelect(ir.CreateICmpULT(magnitude, number(0x400)), ir.CreateBitCast(denormal, wide), normal);
  return ir.CreateBitCast(ir.CreateOr(value, ir.CreateShl(ir.CreateAnd(bits, number(0x8000)), 16)), real);
}

// Rounds as Float16's constructor does (core/small_floats.h). A NaN keeps its sign and the first bits of its fraction
// and becomes quiet, as the instruction makes it.
Value* ToFloat16(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  if (!b.machine().half_loads_feature.empty()) {
    return ir.CreateBitCast(ir.CreateFPTrunc(x, HalfLike(b, x)), x->getType()->getWithNewType(ir.getInt16Ty()));
  }
  llvm::Type* wide = x->getType()->getWithNewType(b.i32());
  const auto number = [&](uint32_t n) { return llvm::ConstantInt::get(wide, n); };
  Value* bits = ir.CreateBitCast(x, wide);
  Value* magnitude = ir.CreateAnd(bits, number(0x7fffffff));
  Value* odd = ir.CreateAnd(ir.CreateLShr(magnitude, 13), number(1));
  Value* rounded = ir.CreateAdd(magnitude, ir.CreateAdd(odd, number(0xfff)));
  Value* normal = ir.CreateLShr(ir.CreateSub(rounded, number(112U << 23)), 13);
  // The last place of 0.5 is 2^-24, the same as a denormal half's, so a sum with 0.5 is rounded there.
  Value* sum = ir.CreateFAdd(ir.CreateBitCast(magnitude, x->getType()), llvm::ConstantFP::get(x->getType(), 0.5));
  Value* denormal = ir.CreateSub(ir.CreateBitCast(sum, wide), number(0x3f000000));
  Value* finite = ir.CreateSelect(ir.CreateICmpULT(magnitude, number(0x38800000)), denormal, normal);
  Value* quiet = ir.CreateOr(ir.CreateAnd(ir.CreateLShr(magnitude, 13), number(0x3ff)), number(0x7e00));
  Value* large = ir.CreateSelect(ir.CreateFCmpUNO(x, x), quiet, number(0x7c00));
  Value* value = ir.CreateSelect(ir.CreateICmpUGE(magnitude, number(0x477ff000)), large, finite);
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, 16), number(0x8000));
  return ir.CreateTrunc(ir.CreateOr(value, sign), x->getType()->getWithNewType(ir.getInt16Ty()));
}

Value* ToBool(KernelBuilder& b, Value* x) {
  return b.ir().CreateZExt(EmitIsNonzero(b, x), x->getType()->getWithNewType(b.ir().getInt8Ty()));
}

// Truncates towards zero. If no integer of 32 or 64 bits holds the value, x86 gives the least one; other machines would
// saturate.
Value* ToSigned(KernelBuilder& b, Value* x, llvm::Type* wide) {
  auto& ir = b.ir();
  llvm::Type* type = x->getType()->getWithNewType(wide);
  Value* whole = ir.CreateFPToSI(x, type);
  if (llvm::Triple(b.module().getTargetTriple()).isX86()) return whole;
  const unsigned bits = wide->getScalarSizeInBits();
  const auto end = [&](double sign) { return llvm::ConstantFP::get(x->getType(), sign * std::ldexp(1.0, bits - 1)); };
  Value* holds = ir.CreateAnd(ir.CreateFCmpOGE(x, end(-1)), ir.CreateFCmpOLT(x, end(1)));
  return ir.CreateSelect(holds, whole, llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits)));
}

}  // namespace

llvm::Type* ElementType(KernelBuilder& b, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return b.f32();
    case DType::kFloat64:
      return b.f64();
    case DType::kInt32:
      return b.i32();
    case DType::kInt64:
      return b.i64();
    case DType::kFloat16:
    case DType::kBFloat16:
      return b.ir().getInt16Ty();
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool:
      return b.ir().getInt8Ty();
  }
  // The other types are only cast, so that their bits are enough.
  return llvm::IntegerType::get(b.ir().getContext(), static_cast<unsigned>(8 * DTypeBytes(dtype)));
}

llvm::Type* VectorOf(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

Value* LoadElements(KernelBuilder& b, DType dtype, Value* ptr, int lanes) {
  return b.LoadAs(VectorOf(ElementType(b, dtype), lanes), ptr);
}

Value* LoadConverted(KernelBuilder& b, DType stored, Value* ptr, int lanes, DType to) {
  return Converted(b, LoadElements(b, stored, ptr, lanes), stored, to);
}

Value* LoadHalves(KernelBuilder& b, Value* ptr, int lanes) {
  return b.ir().CreateFPExt(b.LoadAs(VectorOf(b.ir().getHalfTy(), lanes), ptr), VectorOf(b.f32(), lanes));
}

Value* Converted(KernelBuilder& b, Value* x, DType from, DType to) {
  auto& ir = b.ir();
  if (from == to) return x;
  if (from == DType::kBFloat16) return Converted(b, FromBFloat16(b, x), DType::kFloat32, to);
  if (from == DType::kFloat16) return Converted(b, FromFloat16(b, x), DType::kFloat32, to);
  if (const ByteFloatFormat* format = FindByteFloat(from)) {
    return Converted(b, FromByteFloat(b, *format, x), DType::kFloat32, to);
  }
  if (const unsigned bits = BitsInByte(from); bits != 0) {
    return Converted(b, FromLowBits(b, x, from), IsUnsigned(from) ? DType::kUInt8 : DType::kInt8, to);
  }
  if (const ByteFloatFormat* format = FindByteFloat(to)) {
    return ToByteFloat(b, *format, Converted(b, x, from, DType::kFloat32), {});
  }
  if (const unsigned bits = BitsInByte(to); bits != 0) {
    Value* byte = Converted(b, x, from, DType::kUInt8);
    return ir.CreateAnd(byte, llvm::ConstantInt::get(byte->getType(), (uint64_t{1} << bits) - 1));
  }
  if (to == DType::kFloat16) return ToFloat16(b, Converted(b, x, from, DType::kFloat32));
  if (to == DType::kBFloat16) return ToBFloat16(b, Converted(b, x, from, DType::kFloat32));
  if (to == DType::kBool) return ToBool(b, x);
  llvm::Type* type = x->getType()->getWithNewType(ElementType(b, to));
  if (IsFloat(from)) {
    if (IsFloat(to)) return ir.CreateFPCast(x, type);
    // An 8-bit result is the low byte of 32 bits.
    return ir.CreateTrunc(ToSigned(b, x, DTypeBytes(to) == 8 ? b.i64() : b.i32()), type);
  }
  if (IsFloat(to)) return IsUnsigned(from) ? ir.CreateUIToFP(x, type) : ir.CreateSIToFP(x, type);
  return IsUnsigned(from) ? ir.CreateZExtOrTrunc(x, type) : ir.CreateSExtOrTrunc(x, type);
}

}  // namespace hone
