// The epilogue of an anchor: what happens to an accumulator before it is stored.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Where one accumulator vector goes and what it meets there. Null pointers where the epilogue has no such operand.
struct EpilogueOperands {
  Value* scale = nullptr;     // address of the vector's scales
  Value* bias = nullptr;      // address of the vector's bias values
  Value* residual = nullptr;  // address of the residual's elements
};

// Scale, bias, residual add, activation and quantisation, in this order and in float32. `acc`, of the accumulator's
// type, may be a scalar or any vector; the result is of the output's.
Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands);

// Whether the epilogue makes something else of 0: lanes past the channels must then be masked.
bool ChangesZero(const Epilogue& epilogue);

// `value` with the lanes at and past `channels` zeroed: they stay zero at rest, whatever the activation makes of zero.
// The value's first lane is channel `first_channel`. Returns the value itself when there is nothing to do: when `block`
// divides `channels` or the epilogue keeps zero.
Value* MaskTailLanes(KernelBuilder& b, const Epilogue& epilogue, Value* value, Value* first_channel, int64_t channels,
                     int64_t block);

}  // namespace hone
