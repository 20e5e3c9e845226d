#include "compiler/codegen/math/float_order.h"

namespace hone {
namespace {

// The bits of a float; an integer itself.
Value* Bits(KernelBuilder& b, Value* x) {
  const unsigned width = x->getType()->getScalarSizeInBits();
  return b.ir().CreateBitCast(x, x->getType()->getWithNewType(b.ir().getIntNTy(width)));
}

}  // namespace

// The bits of magnitudes order as the magnitudes do; those of negative numbers are negated.
Value* EmitOrder(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* bits = Bits(b, x);
  const unsigned width = bits->getType()->getScalarSizeInBits();
  Value* sign = ir.CreateAShr(bits, width - 1);
  Value* magnitude = ir.CreateAnd(bits, llvm::ConstantInt::get(bits->getType(), llvm::APInt::getSignedMaxValue(width)));
  return ir.CreateSub(ir.CreateXor(magnitude, sign), sign);
}

Value* EmitIsNonzero(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  // Without the sign bit a zero is 0.
  Value* bits = x->getType()->isFPOrFPVectorTy() ? ir.CreateShl(Bits(b, x), 1) : x;
  return ir.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

}  // namespace hone
