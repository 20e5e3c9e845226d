#include "compiler/codegen/math/float_bits.h"

namespace hone {
namespace {

llvm::Type* IntType(KernelBuilder& b, Value* like) {
  const int lanes = LaneCount(like);
  return lanes == 1 ? b.i32() : static_cast<llvm::Type*>(llvm::FixedVectorType::get(b.i32(), lanes));
}

}  // namespace

int LaneCount(Value* x) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  return type ? static_cast<int>(type->getNumElements()) : 1;
}

Value* FloatConstant(KernelBuilder& b, Value* like, float v) { return b.FloatVec(v, LaneCount(like)); }
llvm::Constant* ConstantLike(Value* like, double v) { return llvm::ConstantFP::get(like->getType(), v); }

Value* IntConstant(KernelBuilder& b, Value* like, int64_t v) {
  return llvm::ConstantInt::get(IntType(b, like), static_cast<uint64_t>(v), true);
}

Value* AsInt(KernelBuilder& b, Value* x) { return b.ir().CreateBitCast(x, IntType(b, x)); }

Value* AsFloat(KernelBuilder& b, Value* bits, Value* like) { return b.ir().CreateBitCast(bits, like->getType()); }

Value* Polynomial(KernelBuilder& b, Value* x, const std::vector<float>& c) {
  Value* sum = FloatConstant(b, x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = b.Fma(sum, x, FloatConstant(b, x, c[i]));
  return sum;
}

Value* Magnitude(KernelBuilder& b, Value* x) {
  return AsFloat(b, b.ir().CreateAnd(AsInt(b, x), IntConstant(b, x, 0x7fffffff)), x);
}

Value* WithSignOf(KernelBuilder& b, Value* magnitude, Value* x) {
  Value* sign = b.ir().CreateAnd(AsInt(b, x), IntConstant(b, x, int64_t{-0x7fffffff} - 1));
  return AsFloat(b, b.ir().CreateOr(AsInt(b, magnitude), sign), x);
}

Value* Below(KernelBuilder& b, Value* x, float bound) { return b.ir().CreateFCmpOLT(x, FloatConstant(b, x, bound)); }

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
