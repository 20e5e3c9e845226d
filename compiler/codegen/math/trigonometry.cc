#include "compiler/codegen/math/trigonometry.h"

#include "compiler/codegen/math/float_bits.h"

namespace hone {
namespace {

// Half of pi in three doubles. Two of them have 21 bits, so their products with an integer below 2^32 are exact.
constexpr double kHalfPi[] = {0x1.921fbp+0, 0x1.5110ap-22, 0x1.4611a62633146p-42};

// x = rest + quadrant * pi / 2 with |rest| <= pi / 4.
struct Quadrant {
  Value* rest = nullptr;
  Value* number = nullptr;  // int32; only the two lowest bits count
};

// Computed in double: float32 would need three constants and a fused multiply-add, which not every machine has.
Quadrant Reduced(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  llvm::Type* type = x->getType()->getWithNewType(b.f64());
  const auto constant = [&](double v) { return llvm::ConstantFP::get(type, v); };
  // Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits.
  const double shifter = 6755399441055744.0;
  Value* wide = ir.CreateFPExt(x, type);
  Value* shifted = b.FAdd(b.FMul(wide, constant(0x1.45f306dc9c883p-1)), constant(shifter));
  Value* number = b.FSub(shifted, constant(shifter));
  Value* rest = wide;
  for (const double part : kHalfPi) rest = b.FSub(rest, b.FMul(number, constant(part)));
  // Beyond the range the remainder is meaningless, and its polynomials would leave [-1, 1].
  rest = b.FMin(b.FMax(rest, constant(-1)), constant(1));
  Value* bits = ir.CreateBitCast(shifted, x->getType()->getWithNewType(b.i64()));
  return {ir.CreateFPTrunc(rest, x->getType()), ir.CreateTrunc(bits, x->getType()->getWithNewType(b.i32()))};
}

Value* HasBit(KernelBuilder& b, Value* number, int64_t bit) {
  Value* mask = llvm::ConstantInt::get(number->getType(), static_cast<uint64_t>(bit));
  return b.ir().CreateICmpNE(b.ir().CreateAnd(number, mask), llvm::Constant::getNullValue(number->getType()));
}

// The sine at `quarter` quadrants past x. The polynomials are fits of least maximal error on [0, (pi / 4)^2].
Value* SineFrom(KernelBuilder& b, Value* x, int64_t quarter) {
  auto& ir = b.ir();
  const auto [rest, number] = Reduced(b, x);
  Value* z = b.FMul(rest, rest);
  Value* p = Polynomial(b, z, {-1.666665494e-01f, 8.332178136e-03f, -1.951729790e-04f});
  Value* sine = b.Fma(b.FMul(p, z), rest, rest);
  Value* q = Polynomial(b, z, {-0.5f, 4.166664687e-02f, -1.388736750e-03f, 2.443844968e-05f});
  Value* cosine = b.Fma(q, z, FloatConstant(b, x, 1));
  Value* quadrant = ir.CreateAdd(number, IntConstant(b, x, quarter));
  Value* value = ir.CreateSelect(HasBit(b, quadrant, 1), cosine, sine);
  return ir.CreateSelect(HasBit(b, quadrant, 2), ir.CreateFNeg(value), value);
}

}  // namespace

Value* EmitSin(KernelBuilder& b, Value* x) { return SineFrom(b, x, 0); }

Value* EmitCos(KernelBuilder& b, Value* x) { return SineFrom(b, x, 1); }

Value* EmitAtan(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = Magnitude(b, x);
  Value* one = FloatConstant(b, x, 1);
  Value* large = ir.CreateFCmpOGT(magnitude, one);
  Value* t = ir.CreateSelect(large, b.FDiv(one, magnitude), magnitude);
  Value* z = b.FMul(t, t);
  // A polynomial in t^2 for atan(t) / t - 1, fitted for the least maximal error on [0, 1].
  Value* p = Polynomial(b, z,
                        {-3.333330186e-01f, 1.999863855e-01f, -1.426524460e-01f, 1.095757186e-01f, -8.419445984e-02f,
                         5.823432039e-02f, -3.145546942e-02f, 1.106431519e-02f, -1.827184686e-03f});
  Value* angle = b.Fma(b.FMul(p, z), t, t);
  // Half of pi is subtracted as two floats.
  Value* rest = b.FSub(angle, FloatConstant(b, x, -4.37113883e-8f));
  Value* complement = b.FSub(FloatConstant(b, x, 1.57079637f), rest);
  return WithSignOf(b, ir.CreateSelect(large, complement, angle), x);
}

}  // namespace hone
