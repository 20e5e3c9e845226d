// Operators on the bits of integers.
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

Value* BitwiseNot(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return e.b().ir().CreateNot(Argument(e, call, 0, at, lanes));
}

// Whether the shift by y is less than the type's width; LLVM leaves larger shifts undefined.
Value* IsWithin(Evaluator& e, Value* y) {
  return e.b().ir().CreateICmpULT(y, Like(y, y->getType()->getScalarSizeInBits()));
}

Value* LeftShift(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes), *within = IsWithin(e, y);
  return ir.CreateSelect(within, ir.CreateShl(x, ir.CreateSelect(within, y, Like(y, 0))), Like(x, 0));
}

Value* RightShift(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes), *within = IsWithin(e, y);
  if (IsUnsigned(call)) {
    return ir.CreateSelect(within, ir.CreateLShr(x, ir.CreateSelect(within, y, Like(y, 0))), Like(x, 0));
  }
  return ir.CreateAShr(x, ir.CreateSelect(within, y, Like(y, y->getType()->getScalarSizeInBits() - 1)));
}

Value* Reinterpret(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return e.b().ir().CreateBitCast(Argument(e, call, 0, at, lanes),
                                  VectorOf(ElementType(e.b(), call.type->dtype), lanes.count));
}

}  // namespace

EmitterTable BitEmitters() {
  return {{"bitwise_and", Combine<llvm::Instruction::And>},
          {"bitwise_or", Combine<llvm::Instruction::Or>},
          {"bitwise_xor", Combine<llvm::Instruction::Xor>},
          {"bitwise_not", BitwiseNot},
          {"left_shift", LeftShift},
          {"right_shift", RightShift},
          {"reinterpret", Reinterpret}};
}

}  // namespace hone
