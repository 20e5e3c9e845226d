// The addresses of a kernel's epilogue operands and of its output. They follow the weights, in every kernel's order.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "core/artifact.h"

namespace hone {

// Addresses of the operands with one value of four bytes per output channel. Null if the epilogue lacks the operand.
struct ChannelAddresses {
  Value* offset = nullptr;  // start of the accumulators
  Value* scale = nullptr;
  Value* bias = nullptr;

  // These addresses moved by `index` times `channels` channels.
  ChannelAddresses Skip(KernelBuilder& b, Value* index, int64_t channels) const;
  // The operands of the vector that begins at channel `first`, with the residual's elements at `residual`, which may be
  // null.
  EpilogueOperands At(KernelBuilder& b, int64_t first, Value* residual) const;
};

struct EpilogueAddresses {
  ChannelAddresses channels;
  Value* residual = nullptr;  // null if the epilogue has none
  Value* residual_stride = nullptr;
  Value* out = nullptr;
  Value* out_stride = nullptr;

  // The start of item `n` of the outermost axis (an image or a row). Residual returns null if there is none.
  Value* Output(KernelBuilder& b, Value* n) const;
  Value* Residual(KernelBuilder& b, Value* n) const;
};

// Reads the stage's operands from number `first` on: those of offset, scale, bias and residual that the epilogue has,
// then the output. Emits loads, so call it before the kernel's loops.
EpilogueAddresses ReadEpilogueAddresses(KernelBuilder& b, const StageArgs& args, const Epilogue& epilogue, int first);

}  // namespace hone
