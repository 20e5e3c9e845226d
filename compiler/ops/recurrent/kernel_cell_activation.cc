#include "compiler/ops/recurrent/kernel_cell_activation.h"

#include "compiler/codegen/math/math.h"
#include "compiler/generic/argument.h"

namespace hone {
namespace {

// y if x is below the bound, else x; NaN is not below.
Value* Below(KernelBuilder& b, Value* x, double bound, Value* y) {
  return b.ir().CreateSelect(b.ir().CreateFCmpOLT(x, Like(x, bound)), y, x);
}

// max(x, 0) + log(1 + exp(-|x|)), which never overflows.
Value* Softplus(KernelBuilder& b, Value* x) {
  Value* minus = b.FSub(Like(x, 0), b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  return b.FAdd(b.FMax(x, Like(x, 0)), EmitLog1p(b, EmitExpOfNegative(b, minus)));
}

}  // namespace

Value* EmitCellActivation(KernelBuilder& b, const relay::CellActivation& activation, Value* x) {
  using relay::CellFunction;
  Value *alpha = Like(x, activation.alpha), *beta = Like(x, activation.beta);
  switch (activation.function) {
    case CellFunction::kSigmoid:
      return EmitSigmoid(b, x);
    case CellFunction::kTanh:
      return EmitTanh(b, x);
    case CellFunction::kRelu:
      return b.FMax(x, Like(x, 0));
    case CellFunction::kAffine:
      return b.Fma(alpha, x, beta);
    case CellFunction::kLeakyRelu:
      return EmitSlope(b, x, alpha);
    case CellFunction::kThresholdedRelu:
      return Below(b, x, activation.alpha, Like(x, 0));
    case CellFunction::kScaledTanh:
      return b.FMul(alpha, EmitTanh(b, b.FMul(beta, x)));
    case CellFunction::kHardSigmoid:
      return b.FMin(b.FMax(b.Fma(alpha, x, beta), Like(x, 0)), Like(x, 1));
    case CellFunction::kElu:
      return Below(b, x, 0, b.FMul(alpha, EmitExpm1(b, b.FMin(x, Like(x, 0)))));
    case CellFunction::kSoftsign:
      return b.FDiv(x, b.FAdd(Like(x, 1), b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x)));
    case CellFunction::kSoftplus:
      return Softplus(b, x);
  }
  return x;
}

}  // namespace hone
