// Elements of every type: as they lie in memory, and converted between what is stored and what is computed with.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// What LLVM calls it. bfloat16 is its 16 bits: code generation has no conversions for it before AVX-512 BF16. So is
// float16: without F16C they would be calls of a library that kernels do not have.
llvm::Type* ElementType(KernelBuilder& b, DType dtype);
llvm::Type* VectorOf(llvm::Type* element, int lanes);

// Bytes of so many elements that lie together: what an address moves by.
inline int64_t Bytes(DType dtype, int64_t elements = 1) { return elements * DTypeBytes(dtype); }

// As stored; aligned to the element alone.
Value* LoadElements(KernelBuilder& b, DType dtype, Value* ptr, int lanes);

// As stored, then Converted: an operand on its way to what is computed with.
Value* LoadConverted(KernelBuilder& b, DType stored, Value* ptr, int lanes, DType to);

// float16 as float32, by the instruction that half_loads_feature (core/target.h) names.
Value* LoadHalves(KernelBuilder& b, Value* ptr, int lanes);

// As Tensor::As converts: integers wrap, bool is whether it is not 0, floats are cut towards zero or, where no integer
// of 32 or 64 bits holds them, the least one. To bfloat16 to nearest, halves to even. Scalars and vectors.
Value* Converted(KernelBuilder& b, Value* x, DType from, DType to);

}  // namespace hone
