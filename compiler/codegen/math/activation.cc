#include "compiler/codegen/math/activation.h"

#include <limits>

#include "compiler/codegen/math/float_bits.h"
#include "compiler/codegen/math/math.h"

namespace hone {
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

}  // namespace hone
