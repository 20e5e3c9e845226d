// Elements of every type: in memory, and converted between the stored type and the type of the arithmetic.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// LLVM's type for the element. bfloat16 is a 16-bit integer, because code generation cannot convert it before AVX-512
// BF16. So is float16: where the machine names no half_loads_feature (core/machine/target.h), LLVM would convert it by
// calls of a library that kernels do not have.
llvm::Type* ElementType(KernelBuilder& b, DType dtype);
llvm::Type* VectorOf(llvm::Type* element, int lanes);

// Bytes of `elements` neighbouring elements: the step of an address.
inline int64_t Bytes(DType dtype, int64_t elements = 1) { return elements * DTypeBytes(dtype); }

// Loads elements as stored; the address need only be aligned to one element.
Value* LoadElements(KernelBuilder& b, DType dtype, Value* ptr, int lanes);

// LoadElements, then Converted: loads an operand in the type of the arithmetic.
Value* LoadConverted(KernelBuilder& b, DType stored, Value* ptr, int lanes, DType to);

// Loads float16 as float32, with the instruction that half_loads_feature (core/machine/target.h) names.
Value* LoadHalves(KernelBuilder& b, Value* ptr, int lanes);

// Converts scalars and vectors as Tensor::As does. Integers wrap, and bool is whether the value is not 0. Floats are
// truncated towards zero; if no integer of 32 or 64 bits holds one, it becomes the least integer. Conversion to
// float16 and bfloat16 is to nearest, halves to even.
Value* Converted(KernelBuilder& b, Value* x, DType from, DType to);

}  // namespace hone
