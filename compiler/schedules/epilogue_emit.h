// The epilogue of an anchor: what happens to an accumulator before it is stored.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "core/artifact.h"
#include "core/workload.h"

namespace hone {

// Where one accumulator vector goes and what it meets there. Null pointers where the epilogue has no such operand.
struct EpilogueOperands {
  Value* scale = nullptr;     // address of the vector's scales
  Value* bias = nullptr;      // address of the vector's bias values
  Value* residual = nullptr;  // address of the residual's elements
  bool one_channel = false;   // all lanes are of one output channel: scale and bias are single values
};

// Scale, hold, bias, residual add, activation and quantisation, in this order and in float32. `acc`, of the
// accumulator's type, may be a scalar or any vector; the result is of the output's. Where that is int32, it is the sum
// itself, offsets being what sums begin with.
Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands);

// The same before it is quantised and converted: float32.
Value* EmitUnstored(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands);

// Appends the operands that have one value per output channel, in the order of every kernel: offset, scale, bias. They
// lie as `outputs` ("O16o"), and a convolution's scale, which is logically O x 1 x 1, as `images` ("CHW16c").
void AddChannelOperands(const Workload& workload, const Epilogue& epilogue, const Layout& outputs, const Layout& images,
                        std::vector<KernelOperand>& operands);

// Whether the epilogue makes something else of 0: lanes past the channels must then be masked.
bool ChangesZero(const Epilogue& epilogue);

// `value` with the lanes at and past `channels` zeroed: they stay zero at rest, whatever the activation makes of zero.
// The value's first lane is channel `first_channel`. Returns the value itself when there is nothing to do: when `block`
// divides `channels` or the epilogue keeps zero.
Value* MaskTailLanes(KernelBuilder& b, const Epilogue& epilogue, Value* value, Value* first_channel, int64_t channels,
                     int64_t block);

}  // namespace hone
