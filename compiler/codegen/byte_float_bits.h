// Code that converts between float32 and floats of at most 8 bits (core/byte_floats.h).
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/byte_floats.h"

namespace hone {

// Scalars and vectors of bytes as float32, as ByteFloatValue gives them.
Value* FromByteFloat(KernelBuilder& b, const ByteFloatFormat& format, Value* bytes);
// The bytes that ByteFloatBits gives. Denormal float32s may count as zeros where no power of two is near them.
Value* ToByteFloat(KernelBuilder& b, const ByteFloatFormat& format, Value* x, const ByteConversion& by);

}  // namespace hone
