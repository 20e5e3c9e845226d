// Several vectors of an epilogue as bytes side by side.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Whether `vectors` vectors of 16 lanes that EmitPackedBytes takes are what the epilogue's output is.
bool PacksBytes(const Epilogue& epilogue, const ElementTypes& types, int vectors);

// What EmitUnstored left in two or four vectors of 16 lanes, quantised as EmitEpilogue does and with the same bits: one
// vector of uint8. For AVX-512 alone, which then narrows and saturates all of them in a few instructions.
Value* EmitPackedBytes(KernelBuilder& b, const Epilogue& epilogue, const Vals& values);

}  // namespace hone
