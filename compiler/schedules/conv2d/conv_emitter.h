// The frame of the emitters of convolutions: what they know of the convolution, and the kernel rows inside the image.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/parts/epilogue_emit.h"

namespace hone {

// Base of an emitter: a nest (shape, element types, knobs) under short names, and the operands that every kernel has. A
// nest, an epilogue and the builder must outlive it.
template <typename Nest>
class ConvEmitter {
 protected:
  ConvEmitter(KernelBuilder& builder, const Nest& nest, const Epilogue& epilogue)
      : b_(builder), nest_(nest), s_(nest.shape), types_(nest.types), k_(nest.knobs), epilogue_(epilogue) {}

  // Reads the operands of a kernel without a prologue: data, weight, and those of the epilogue.
  void ReadOperands(const StageArgs& args) {
    data_ = b_.Operand(args, 0);
    data_stride_ = b_.BatchStride(args, 0);
    weight_ = b_.Operand(args, 1);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, 2);
  }

  KernelBuilder& b_;
  const Nest& nest_;
  const ConvShape& s_;
  const ElementTypes& types_;
  decltype(Nest::knobs) k_;
  const Epilogue& epilogue_;
  Value *data_ = nullptr, *data_stride_ = nullptr, *weight_ = nullptr;
  EpilogueAddresses behind_;
};

// The kernel rows [first, end) that output row `row` reads inside the image; constants if no padding clips any. Empty
// if an output row reads only padding.
//
//             kh=0  . . . .     padding
//             kh=1  . . . .     padding       first = 2, end = 5 for this output row (KH = 5)
//             kh=2  # # # #     image row 0
//             kh=3  # # # #     image row 1
//             kh=4  # # # #     image row 2
struct KernelRows {
  Value *first = nullptr, *end = nullptr;
};
KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& shape, Value* row);

}  // namespace hone
