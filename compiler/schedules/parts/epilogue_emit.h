// The epilogue of an anchor: the steps between an accumulator and its store.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "core/artifact.h"
#include "core/workload.h"

namespace hone {

// The epilogue's operands for one accumulator vector. A pointer is null if the epilogue has no such operand.
struct EpilogueOperands {
  Value* scale = nullptr;     // address of the vector's scales
  Value* bias = nullptr;      // address of the vector's bias values
  Value* residual = nullptr;  // address of the residual's elements
  bool one_channel = false;   // all lanes belong to one output channel: scale and bias are single values
};

// Scale, hold, bias, residual add, activation and quantisation, in this order and in float32. `acc` has the
// accumulator's type and may be a scalar or any vector; the result has the output's type. If that is int32, the result
// is the sum itself, which already began with the offsets.
//
//   acc -> float32 -> * scale -> hold -> + bias -> + residual -> activation -> quantise or convert -> output's type
//          |---------------------- EmitUnstored ---------------------------|
Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands);

// EmitEpilogue before quantisation and conversion; the result is float32.
Value* EmitUnstored(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands);

// Appends the operands with one value per output channel, in every kernel's order: offset, scale, bias. Their layout is
// `outputs` ("O16o"). A convolution's scale, which is logically O x 1 x 1, has the layout `images` ("CHW16c").
void AddChannelOperands(const Workload& workload, const Epilogue& epilogue, const Layout& outputs, const Layout& images,
                        std::vector<KernelOperand>& operands);

// Whether the epilogue maps 0 to another value: lanes past the channels must then be masked.
bool ChangesZero(const Epilogue& epilogue);

// Returns `value` with zeros in the lanes at and past `channels`: stored tail lanes are always zero, whatever the
// activation maps zero to. The value's first lane is channel `first_channel`. Returns `value` itself if `block` divides
// `channels` or the epilogue keeps zero.
Value* MaskTailLanes(KernelBuilder& b, const Epilogue& epilogue, Value* value, Value* first_channel, int64_t channels,
                     int64_t block);

// The addresses of a kernel's epilogue operands and of its output follow the weights, in every kernel's order.

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
