// A heap of integers in a workspace: the root is the largest (Williams, "Algorithm 232: Heapsort", 1964).
#pragma once

#include <cstdint>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Emits code for a heap at `memory`, with keys of the integer type `key`, which is a whole number of bytes wide.
class KeyHeap {
 public:
  KeyHeap(KernelBuilder& b, llvm::Type* key, Value* memory) : b_(b), key_(key), memory_(memory) {}

  Value* Held(Value* i) { return b_.LoadAs(key_, Slot(i)); }
  void Hold(Value* key, Value* i) { b_.Store(key, Slot(i)); }
  // Makes a heap of the first `size` keys.
  void Order(Value* size);
  // Puts `held` into the hole at `hole`, or below it if a child is larger.
  void Sift(Value* hole, Value* held, Value* size);

 private:
  Value* Slot(Value* i);

  KernelBuilder& b_;
  llvm::Type* key_;
  Value* memory_;
};

// An i32 that grows with the float32 (a scalar or a vector); -0 is 0, and a NaN is beyond the infinities.
Value* FloatOrder(KernelBuilder& b, Value* x);

}  // namespace hone
