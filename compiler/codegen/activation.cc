#include "compiler/codegen/activation.h"

#include <limits>

#include "compiler/codegen/math.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value* Like(Value* x, double c) { return llvm::ConstantFP::get(x->getType(), c); }

Value* Held(KernelBuilder& b, Value* x, double lo, double hi) {
  if (lo != -kInfinity) x = b.FMax(x, Like(x, lo));
  return hi == kInfinity ? x : b.FMin(x, Like(x, hi));
}

Value* HardSwish(KernelBuilder& b, Value* x) {
  return b.FMul(x, Held(b, b.Fma(x, Like(x, 1.0 / 6), Like(x, 0.5)), 0, 1));
}

}  // namespace

Value* EmitSlope(KernelBuilder& b, Value* x, Value* slope) {
  Value* negative = b.ir().CreateFCmpOLT(x, Like(x, 0));
  return b.ir().CreateSelect(negative, b.FMul(x, slope), x);
}

bool EmitsFloat64(Activation activation) {
  return activation <= Activation::kClip || activation == Activation::kLeakyRelu ||
         activation == Activation::kHardSwish;
}

Value* EmitActivation(KernelBuilder& b, Activation activation, double lo, double hi, Value* x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return Held(b, x, 0, kInfinity);
    case Activation::kClip:
      return Held(b, x, lo, hi);
    case Activation::kSigmoid:
      return EmitSigmoid(b, x);
    case Activation::kTanh:
      return EmitTanh(b, x);
    case Activation::kLeakyRelu:
      return EmitSlope(b, x, Like(x, lo));
    case Activation::kHardSwish:
      return HardSwish(b, x);
    case Activation::kSilu:
      return EmitSilu(b, x);
    case Activation::kGelu:
      return EmitGelu(b, x);
  }
  return x;
}

}  // namespace hone
