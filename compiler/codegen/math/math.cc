#include "compiler/codegen/math/math.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <cmath>
#include <limits>

#include "compiler/codegen/math/float_bits.h"

namespace hone {
namespace {

constexpr float kLog2E = 1.44269504f;
// ln 2 in two parts. The product of the first part with any exponent is exact, with or without fused multiply-add.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// 2 ** n for a vector of integers in [-126, 127].
Value* PowerOfTwo(KernelBuilder& b, Value* n, Value* like) {
  return AsFloat(b, b.ir().CreateShl(b.ir().CreateAdd(n, IntConstant(b, like, 127)), IntConstant(b, like, 23)), like);
}

// exp(x) = p * 2^n for x in [-88, 89].
struct SplitExp {
  Value* p = nullptr;
  Value* n = nullptr;
  Value* less_one = nullptr;  // p - 1, with the bits that p loses
  Value* low_n = nullptr;     // an integer with the low bits of n, the only ones that fit into an exponent
  Value* n_float = nullptr;
};

SplitExp Split(KernelBuilder& b, Value* x) {
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits. rint would be a call on machines without it.
  const float shifter = 12582912.0f;
  Value* shifted = b.Fma(x, FloatConstant(b, x, kLog2E), FloatConstant(b, x, shifter));
  Value* low_n = AsInt(b, shifted);
  Value* n = b.ir().CreateSub(low_n, IntConstant(b, x, 0x4b400000));
  Value* n_float = b.FSub(shifted, FloatConstant(b, x, shifter));
  Value* r = b.Fma(n_float, FloatConstant(b, x, -kLn2High), x);
  r = b.Fma(n_float, FloatConstant(b, x, -kLn2Low), r);
  // (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2, fitted for the least largest error of exp: 4.4e-9.
  Value* tail =
      Polynomial(b, r, {4.999999404e-01f, 1.666651964e-01f, 4.166839272e-02f, 8.368780836e-03f, 1.381450216e-03f});
  Value* less_one = b.Fma(b.FMul(r, r), tail, r);
  return {b.FAdd(less_one, FloatConstant(b, x, 1.0f)), n, less_one, low_n, n_float};
}

Value* MinusMagnitude(KernelBuilder& b, Value* x) {
  return AsFloat(b, b.ir().CreateOr(AsInt(b, x), IntConstant(b, x, int64_t{-0x7fffffff} - 1)), x);
}

}  // namespace

// One scale suffices, because 2^-127 becomes 0 in its bits.
Value* EmitExpOfNegative(KernelBuilder& b, Value* x) {
  const SplitExp exp = Split(b, b.FMax(x, FloatConstant(b, x, -88.0f)));
  return b.FMul(exp.p, PowerOfTwo(b, exp.low_n, x));
}

namespace {

// Results below this argument's are 0, because they are no normal floats.
constexpr float kLeastOfExp = -87.3365f;

// Lanes of the instruction that multiplies by powers of two and overflows to infinity: AVX-512's vscalefps.
constexpr int kScaledLanes = 16;

bool ScalesByPowers(KernelBuilder& b, Value* x) {
  return b.lanes() == kScaledLanes && LaneCount(x) % kScaledLanes == 0 &&
         llvm::Triple(b.module().getTargetTriple()).isX86();
}

Value* ExpByScaling(KernelBuilder& b, Value* x) {
  constexpr float kBeyond = 89.0f;
  constexpr uint32_t kRoundingOfTheThread = 4;
  auto& ir = b.ir();
  Value* beyond = FloatConstant(b, x, kBeyond);
  // Infinity less a multiple of itself would be NaN. NaN stays.
  const SplitExp exp = Split(b, ir.CreateSelect(ir.CreateFCmpOGT(x, beyond), beyond, x));
  Value* kept = ir.CreateBitCast(ir.CreateNot(Below(b, x, kLeastOfExp)), ir.getInt16Ty());
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                            {exp.p, exp.n_float, FloatConstant(b, x, 0.0f), kept, ir.getInt32(kRoundingOfTheThread)});
}

Value* ExpByScalingParts(KernelBuilder& b, Value* x) {
  if (LaneCount(x) == kScaledLanes) return ExpByScaling(b, x);
  llvm::SmallVector<Value*> parts;
  for (unsigned first = 0; first < static_cast<unsigned>(LaneCount(x)); first += kScaledLanes) {
    const llvm::SmallVector<int> lanes = llvm::createSequentialMask(first, kScaledLanes, 0);
    parts.push_back(ExpByScaling(b, b.ir().CreateShuffleVector(x, lanes)));
  }
  return llvm::concatenateVectors(b.ir(), parts);
}

}  // namespace

// n is added to the exponent of p, because 2^128 is no float. Beyond the largest result and for NaN, the sum with
// infinity is the result.
Value* EmitExp(KernelBuilder& b, Value* x) {
  if (ScalesByPowers(b, x)) return ExpByScalingParts(b, x);
  constexpr float kLargest = 88.7228317f;
  auto& ir = b.ir();
  const SplitExp exp = Split(b, x);
  Value* scaled = AsFloat(b, ir.CreateAdd(AsInt(b, exp.p), ir.CreateShl(exp.low_n, IntConstant(b, x, 23))), x);
  Value* finite = ir.CreateFCmpOLE(x, FloatConstant(b, x, kLargest));
  scaled = ir.CreateSelect(finite, scaled, b.FAdd(x, FloatConstant(b, x, kInfinity)));
  return ir.CreateSelect(Below(b, x, kLeastOfExp), FloatConstant(b, x, 0.0f), scaled);
}

Value* EmitLog(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* tiny = Below(b, x, std::numeric_limits<float>::min());
  Value* normal = ir.CreateSelect(tiny, b.FMul(x, FloatConstant(b, x, 33554432.0f)), x);
  // Offsetting by the bits of sqrt(1/2) puts the mantissa in [sqrt(1/2), sqrt(2)).
  Value* bits = ir.CreateSub(AsInt(b, normal), IntConstant(b, x, 0x3f3504f3));
  Value* e = ir.CreateAShr(bits, IntConstant(b, x, 23));
  Value* mantissa = ir.CreateAdd(ir.CreateAnd(bits, IntConstant(b, x, 0x7fffff)), IntConstant(b, x, 0x3f3504f3));
  Value* exponent = ir.CreateSIToFP(e, x->getType());
  exponent = b.FSub(exponent, ir.CreateSelect(tiny, FloatConstant(b, x, 25.0f), FloatConstant(b, x, 0.0f)));
  // log(1 + f) by the series of 2 atanh(s), s = f / (2 + f), with f's first two terms kept exact.
  Value* f = b.FSub(AsFloat(b, mantissa, x), FloatConstant(b, x, 1.0f));
  Value* s = b.FDiv(f, b.FAdd(f, FloatConstant(b, x, 2.0f)));
  Value* z = b.FMul(s, s);
  Value* rest = b.FMul(z, Polynomial(b, z, {2.0f / 3, 2.0f / 5, 2.0f / 7, 2.0f / 9}));
  Value* half_square = b.FMul(b.FMul(f, f), FloatConstant(b, x, 0.5f));
  Value* low = b.Fma(s, b.FAdd(half_square, rest), b.FMul(exponent, FloatConstant(b, x, kLn2Low)));
  Value* result = b.Fma(exponent, FloatConstant(b, x, kLn2High), b.FSub(f, b.FSub(half_square, low)));
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, FloatConstant(b, x, kInfinity)), x, result);
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, FloatConstant(b, x, 0.0f)), FloatConstant(b, x, -kInfinity), result);
  Value* undefined = ir.CreateFCmpULT(x, FloatConstant(b, x, 0.0f));
  return ir.CreateSelect(undefined, FloatConstant(b, x, std::numeric_limits<float>::quiet_NaN()), result);
}

Value* EmitExpm1(KernelBuilder& b, Value* x) {
  Value* clamped = b.FMin(b.FMax(x, FloatConstant(b, x, -87.5f)), FloatConstant(b, x, 89.0f));
  const SplitExp exp = Split(b, clamped);
  // Half of the result is computed first, because 2^128 is no float.
  Value* scale = PowerOfTwo(b, b.ir().CreateSub(exp.n, IntConstant(b, x, 1)), x);
  Value* half = b.Fma(exp.less_one, scale, b.FSub(scale, FloatConstant(b, x, 0.5f)));
  return b.FAdd(half, half);
}

Value* EmitLog1p(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* one = FloatConstant(b, x, 1.0f);
  Value* sum = b.FAdd(x, one);
  // The logarithm of the rounded sum is corrected by the change that the rounding made in x. Kahan's formula, in
  // Goldberg, "What every computer scientist should know about floating-point arithmetic", theorem 4.
  Value* kept = b.FSub(sum, one);
  Value* corrected = b.FMul(EmitLog(b, sum), b.FDiv(x, kept));
  Value* as_it_is = ir.CreateOr(ir.CreateFCmpOEQ(kept, FloatConstant(b, x, 0.0f)),
                                ir.CreateFCmpOEQ(x, FloatConstant(b, x, kInfinity)));
  return ir.CreateSelect(as_it_is, x, corrected);
}

// (e - 1) / (e - 1 + 2) with e = exp(2x), which loses no bits near 0; it is 1 from 9.02 on. Here e = exp(2r) 2^n. As n
// is small, one part of ln 2 suffices.
Value* EmitTanh(KernelBuilder& b, Value* x) {
  const float shifter = 12582912.0f, end = 9.02f;
  Value* inner = b.FMin(b.FMax(x, FloatConstant(b, x, -end)), FloatConstant(b, x, end));
  Value* shifted = b.Fma(inner, FloatConstant(b, x, 2 * kLog2E), FloatConstant(b, x, shifter));
  Value* n = b.FSub(shifted, FloatConstant(b, x, shifter));
  Value* r = b.Fma(n, FloatConstant(b, x, -0.34657359f), inner);
  // Split's series of (exp(y) - 1 - y) / y^2 in y = 2r.
  Value* tail = Polynomial(b, r, {1.9999997616f, 1.3333215712f, 0.66669428352f, 0.26780098676f, 0.08841281382f});
  Value* less_one = b.Fma(b.FMul(r, r), tail, b.FAdd(r, r));
  Value* scale = PowerOfTwo(b, AsInt(b, shifted), x);
  Value* e = b.Fma(less_one, scale, b.FSub(scale, FloatConstant(b, x, 1.0f)));
  return b.FDiv(e, b.FAdd(e, FloatConstant(b, x, 2.0f)));
}

Value* EmitErf(KernelBuilder& b, Value* x) {
  Value* magnitude = Magnitude(b, x);
  Value* z = b.FMul(x, x);
  // A fit at Chebyshev nodes of erf(x) / x - 1 in x^2, for |x| below 1.
  Value* p = Polynomial(b, z,
                        {0.128379167f, -3.761262596e-01f, 1.128359437e-01f, -2.685421146e-02f, 5.189087242e-03f,
                         -8.016864303e-04f, 7.875874871e-05f});
  Value* small = b.Fma(p, x, x);
  // A polynomial in x - 1 for the fourth root of 1 - erf(x), up to 4, where erf(x) is 1. It needs no exponential. It is
  // fitted for the least maximal error of its fourth power.
  Value* u = b.FSub(b.FMin(magnitude, FloatConstant(b, x, 4.0f)), FloatConstant(b, x, 1.0f));
  Value* root = Polynomial(b, u,
                           {6.297695041e-01f, -4.154863358e-01f, 4.334590863e-03f, 5.076377466e-02f, -3.627860453e-03f,
                            -5.609665066e-03f, 1.402080525e-03f, -1.744530323e-06f, -2.204382690e-05f});
  Value* square = b.FMul(root, root);
  Value* large = WithSignOf(b, b.Fma(b.ir().CreateFNeg(square), square, FloatConstant(b, x, 1.0f)), x);
  return b.ir().CreateSelect(Below(b, magnitude, 1.0f), small, large);
}

// 1 / (1 + exp(-x)). Beyond the bounds the scale's bits are those of 0 and of infinity.
Value* EmitSigmoid(KernelBuilder& b, Value* x) {
  Value* inner = b.FMin(b.FMax(x, FloatConstant(b, x, -89.0f)), FloatConstant(b, x, 88.0f));
  const SplitExp exp = Split(b, b.ir().CreateFNeg(inner));
  Value* one = FloatConstant(b, x, 1.0f);
  return b.FDiv(one, b.Fma(exp.p, PowerOfTwo(b, exp.low_n, x), one));
}

// The exponential of -|x| leads to a division by a sum in [1, 2], where the sum's rounding weighs least.
Value* EmitSilu(KernelBuilder& b, Value* x) {
  // Below -88 the gate is 0, and minus infinity times 0 would be NaN.
  Value* bounded = b.FMax(x, FloatConstant(b, x, -100.0f));
  Value* e = EmitExpOfNegative(b, MinusMagnitude(b, bounded));
  Value* numerator = b.ir().CreateSelect(Below(b, x, 0.0f), b.FMul(bounded, e), x);
  return b.FDiv(numerator, b.FAdd(e, FloatConstant(b, x, 1.0f)));
}

Value* EmitMish(KernelBuilder& b, Value* x) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2). From 20 on the quotient is 1, so n need not overflow. Below -88
  // it is 0, and minus infinity times 0 would be NaN.
  Value* bounded = b.FMax(x, FloatConstant(b, x, -100.0f));
  Value* e = EmitExp(b, b.FMin(x, FloatConstant(b, x, 20.0f)));
  Value* n = b.FMul(e, b.FAdd(e, FloatConstant(b, x, 2.0f)));
  return b.FMul(bounded, b.FDiv(n, b.FAdd(n, FloatConstant(b, x, 2.0f))));
}

Value* EmitGelu(KernelBuilder& b, Value* x) {
  // A polynomial in 2 (x / 5.5)^2 - 1 for (Phi(x) - 1/2) / x, fitted for the least maximal error of Phi (1.7e-7). A
  // condition of the fit is that both ends lie outside [0, 1]: beyond them Phi is exactly 0 and 1.
  const float end = 5.5f;
  Value* inner = b.FMin(b.FMax(x, FloatConstant(b, x, -end)), FloatConstant(b, x, end));
  Value* s = b.Fma(b.FMul(inner, inner), FloatConstant(b, x, 2 / (end * end)), FloatConstant(b, x, -1.0f));
  Value* p = Polynomial(b, s,
                        {1.28551975e-01f, -6.41719624e-02f, 4.77325432e-02f, -3.88022438e-02f, 3.21570374e-02f,
                         -2.59816032e-02f, 1.98060572e-02f, -1.51633667e-02f, 1.19397799e-02f, -6.78048097e-03f,
                         1.93616340e-03f, -2.00462295e-03f, 2.80156522e-03f, -1.11173198e-03f});
  Value* phi = b.Fma(inner, p, FloatConstant(b, x, 0.5f));
  phi = b.FMin(b.FMax(phi, FloatConstant(b, x, 0.0f)), FloatConstant(b, x, 1.0f));
  // Minus infinity times 0 would be NaN.
  return b.FMul(b.FMax(x, FloatConstant(b, x, -100.0f)), phi);
}

Value* EmitSqrt(KernelBuilder& b, Value* x) { return b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }

namespace {

Value* WholePower(KernelBuilder& b, Value* x, int n) {
  Value* result = nullptr;
  for (Value* square = x; n > 0; n >>= 1) {
    if (n & 1) result = result ? b.FMul(result, square) : square;
    if (n > 1) square = b.FMul(square, square);
  }
  return result;
}

Value* Times(KernelBuilder& b, Value* x, Value* y) { return x ? b.FMul(x, y) : y; }

// x ** (quarters / 4) for quarters > 0.
Value* QuarterPower(KernelBuilder& b, Value* x, int quarters) {
  Value* result = WholePower(b, x, quarters / 4);
  if (quarters % 4 == 0) return result;
  Value* root = EmitSqrt(b, x);
  if (quarters & 2) result = Times(b, result, root);
  if (quarters & 1) result = Times(b, result, EmitSqrt(b, root));
  return result;
}

// x ** -0.75 as x ** 0.25 / x, which has fewer roundings than 1 / x ** 0.75; 0 and infinity are special cases.
Value* InverseThreeQuarters(KernelBuilder& b, Value* x) {
  Value* root = EmitSqrt(b, EmitSqrt(b, x));
  root = b.ir().CreateSelect(b.ir().CreateFCmpOEQ(x, FloatConstant(b, x, 0.0f)), FloatConstant(b, x, 1.0f), root);
  root = b.ir().CreateSelect(b.ir().CreateFCmpOEQ(x, FloatConstant(b, x, kInfinity)), FloatConstant(b, x, 1.0f), root);
  return b.FDiv(root, x);
}

}  // namespace

Value* EmitPow(KernelBuilder& b, Value* x, float y) {
  const float quarters = y * 4;
  if (y == 0) return FloatConstant(b, x, 1.0f);
  if (y == -0.75f) return InverseThreeQuarters(b, x);
  if (quarters == std::nearbyint(quarters) && std::abs(quarters) <= 12) {
    Value* power = QuarterPower(b, x, static_cast<int>(std::abs(quarters)));
    return y > 0 ? power : b.FDiv(FloatConstant(b, x, 1.0f), power);
  }
  return EmitExp(b, b.FMul(EmitLog(b, x), FloatConstant(b, x, y)));
}

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

class KernelMath : public ActivationMath {
 public:
  explicit KernelMath(KernelBuilder& builder) : b_(builder) {}
  static Value* Of(Term x) { return static_cast<Value*>(x.value); }

  Term MultiplyAdd(Term x, double a, double b) override {
    return {0, b_.Fma(Of(x), ConstantLike(Of(x), a), ConstantLike(Of(x), b))};
  }
  Term Multiply(Term x, Term y) override { return {0, b_.FMul(Of(x), Of(y))}; }
  Term AtLeast(Term x, double bound) override {
    return bound == -kUnbounded ? x : Term{0, b_.FMax(Of(x), ConstantLike(Of(x), bound))};
  }
  Term AtMost(Term x, double bound) override {
    return bound == kUnbounded ? x : Term{0, b_.FMin(Of(x), ConstantLike(Of(x), bound))};
  }
  Term Slope(Term x, double slope) override { return {0, EmitSlope(b_, Of(x), ConstantLike(Of(x), slope))}; }
  Term Sigmoid(Term x) override { return {0, EmitSigmoid(b_, Of(x))}; }
  Term Tanh(Term x) override { return {0, EmitTanh(b_, Of(x))}; }
  Term Silu(Term x) override { return {0, EmitSilu(b_, Of(x))}; }
  Term Gelu(Term x) override { return {0, EmitGelu(b_, Of(x))}; }

 private:
  KernelBuilder& b_;
};

}  // namespace

Value* EmitSlope(KernelBuilder& b, Value* x, Value* slope) {
  Value* negative = b.ir().CreateFCmpOLT(x, ConstantLike(x, 0));
  return b.ir().CreateSelect(negative, b.FMul(x, slope), x);
}

Value* EmitActivation(KernelBuilder& b, const ActivationRow* row, double lo, double hi, Value* x) {
  if (row == nullptr) return x;
  KernelMath math(b);
  return KernelMath::Of(row->formula(math, {0, x}, lo, hi));
}

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
