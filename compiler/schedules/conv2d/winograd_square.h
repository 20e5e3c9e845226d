#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/nth.h"

namespace hone {

// A square of vectors between the two passes of a transform: in registers if they suffice, else in scratch memory.
class WinogradSquare {
 public:
  WinogradSquare(KernelBuilder& b, llvm::Type* vector, int64_t rows, int64_t columns, Value* scratch)
      : b_(b), vector_(vector), columns_(columns), scratch_(scratch), held_(static_cast<size_t>(rows * columns)) {
    in_registers_ = rows * columns + 8 <= b.machine().vector_registers;
  }
  void Set(int64_t r, int64_t c, Value* v) {
    if (in_registers_) {
      Nth(held_, r * columns_ + c) = v;
    } else {
      b_.Store(v, Address(r, c));
    }
  }
  Value* Get(int64_t r, int64_t c) {
    return in_registers_ ? Nth(held_, r * columns_ + c)
                         : b_.ir().CreateAlignedLoad(vector_, Address(r, c), llvm::Align(1));
  }

 private:
  Value* Address(int64_t r, int64_t c) {
    const auto bytes = static_cast<int64_t>(vector_->getPrimitiveSizeInBits().getKnownMinValue() / 8);
    return b_.At(scratch_, (r * columns_ + c) * bytes);
  }
  KernelBuilder& b_;
  llvm::Type* vector_;
  int64_t columns_;
  Value* scratch_;
  bool in_registers_;
  Vals held_;
};

}  // namespace hone
