#include "compiler/ops/topk/kernel_key_heap.h"

#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/fold.h"

namespace hone {

Value* KeyHeap::Slot(Value* i) { return b_.At(memory_, b_.Mul(i, key_->getIntegerBitWidth() / 8)); }

void KeyHeap::Order(Value* size) {
  Value* parents = b_.Div(size, 2);
  b_.For(b_.Index(0), parents, 1, [&](Value* i) {
    Value* parent = b_.Sub(b_.Sub(parents, b_.Index(1)), i);
    Sift(parent, Held(parent), size);
  });
}

// The larger child moves up into the hole as long as it is larger than the held key.
void KeyHeap::Sift(Value* hole, Value* held, Value* size) {
  auto& ir = b_.ir();
  const auto larger_child = [&](Value* at) {
    Value* left = b_.Add(b_.Mul(at, 2), 1);
    Value *has_left = ir.CreateICmpSLT(left, size), *right = b_.Add(left, 1);
    left = ir.CreateSelect(has_left, left, at);
    right = ir.CreateSelect(ir.CreateICmpSLT(right, size), right, left);
    Value *left_key = Held(left), *right_key = Held(right);
    Value* right_larger = ir.CreateICmpSGT(right_key, left_key);
    Value* key = ir.CreateSelect(right_larger, right_key, left_key);
    return Vals{ir.CreateSelect(right_larger, right, left), key, ir.CreateAnd(has_left, ir.CreateICmpSGT(key, held))};
  };
  // Carried values: the hole, its larger child, that child's key, and whether it moves up.
  Vals start{hole};
  for (Value* value : larger_child(hole)) start.push_back(value);
  const Vals arrived = LoopWhile(
      b_, start, [](const Vals& at) { return at[3]; },
      [&](const Vals& at) {
        Hold(at[2], at[0]);
        Vals next{at[1]};
        for (Value* value : larger_child(at[1])) next.push_back(value);
        return next;
      });
  Hold(held, arrived[0]);
}

// A float's bits grow with it above 0, and fall as it grows below 0.
Value* FloatOrder(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  llvm::Type* integer = x->getType()->getWithNewType(b.i32());
  Value* bits = ir.CreateBitCast(x, integer);
  bits = ir.CreateSelect(EmitIsNonzero(b, x), bits, llvm::Constant::getNullValue(integer));
  return ir.CreateXor(bits, ir.CreateLShr(ir.CreateAShr(bits, 31), 1));
}

}  // namespace hone
