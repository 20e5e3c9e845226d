#include "compiler/generic/key_heap.h"

#include <bit>

namespace hone {

Value* KeyHeap::Slot(Value* i) { return b_.At(memory_, b_.Mul(i, key_->getIntegerBitWidth() / 8)); }

void KeyHeap::Order(Value* size) {
  Value* parents = b_.Div(size, 2);
  b_.For(b_.Index(0), parents, 1, [&](Value* i) {
    Value* parent = b_.Sub(b_.Sub(parents, b_.Index(1)), i);
    Sift(parent, Held(parent), size);
  });
}

void KeyHeap::Sift(Value* hole, Value* held, Value* size) {
  auto& ir = b_.ir();
  const auto height = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(most_)));
  const Vals arrived = b_.Loop(0, height, 1, {hole}, [&](Value*, const Vals& at) {
    Value* left = b_.Add(b_.Mul(at[0], 2), 1);
    Value *has_left = ir.CreateICmpSLT(left, size), *right = b_.Add(left, 1);
    left = ir.CreateSelect(has_left, left, at[0]);
    right = ir.CreateSelect(ir.CreateICmpSLT(right, size), right, left);
    Value *left_key = Held(left), *right_key = Held(right);
    Value* right_larger = ir.CreateICmpSGT(right_key, left_key);
    Value *child = ir.CreateSelect(right_larger, right, left),
          *child_key = ir.CreateSelect(right_larger, right_key, left_key);
    Value* sinks = ir.CreateAnd(has_left, ir.CreateICmpSGT(child_key, held));
    Hold(ir.CreateSelect(sinks, child_key, held), at[0]);
    return Vals{ir.CreateSelect(sinks, child, at[0])};
  });
  Hold(held, arrived[0]);
}

// A float's bits grow with it from 0 upwards and against it below.
Value* FloatOrder(KernelBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* zero = ir.CreateFCmpOEQ(x, llvm::ConstantFP::get(x->getType(), 0));
  Value* bits = ir.CreateSelect(zero, ir.getInt32(0), ir.CreateBitCast(x, b.i32()));
  return ir.CreateXor(bits, ir.CreateLShr(ir.CreateAShr(bits, 31), 1));
}

}  // namespace hone
