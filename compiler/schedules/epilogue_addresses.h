// Where a kernel's epilogue reads and its results go: the operands behind the weights, in the order of every kernel.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/epilogue_emit.h"
#include "core/artifact.h"

namespace hone {

// Addresses of what has one value of four bytes per output channel. Null where the epilogue has no such operand.
struct ChannelAddresses {
  Value* offset = nullptr;  // what an accumulator starts with
  Value* scale = nullptr;
  Value* bias = nullptr;

  // The same `index` times `channels` channels further on.
  ChannelAddresses Skip(KernelBuilder& b, Value* index, int64_t channels) const;
  // What the vector from channel `first` on meets, and the elements at `residual`, which may be null.
  EpilogueOperands At(KernelBuilder& b, int64_t first, Value* residual) const;
};

struct EpilogueAddresses {
  ChannelAddresses channels;
  Value* residual = nullptr;  // null where the epilogue has none
  Value* residual_stride = nullptr;
  Value* out = nullptr;
  Value* out_stride = nullptr;

  // The start of item `n` of the outermost axis, an image or a row; the residual's is null where there is none.
  Value* Output(KernelBuilder& b, Value* n) const;
  Value* Residual(KernelBuilder& b, Value* n) const;
};

// Reads the stage's operands from `first` on: offset, scale, bias and residual as the epilogue has them, the output.
// Emits loads, which belong in front of the kernel's loops.
EpilogueAddresses ReadEpilogueAddresses(KernelBuilder& b, const StageArgs& args, const Epilogue& epilogue, int first);

}  // namespace hone
