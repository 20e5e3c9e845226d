// Several vectors of an epilogue, packed as neighbouring bytes.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Whether EmitPackedBytes can make the epilogue's output of `vectors` vectors of 16 lanes.
bool PacksBytes(const Epilogue& epilogue, const ElementTypes& types, int vectors);

// Quantises two or four vectors of 16 lanes from EmitUnstored as EmitEpilogue does, with the same bits. Returns one
// vector of uint8. Only for AVX-512, which narrows and saturates all of them in a few instructions.
Value* EmitPackedBytes(KernelBuilder& b, const Epilogue& epilogue, const Vals& values);

}  // namespace hone
