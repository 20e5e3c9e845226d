// The 16-bit floats of a model. Kernels compute with float32, so that types in the graph do not tell all of them.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The attribute of @main: the names of the types as text, separated by commas, "float16,bfloat16".
inline constexpr std::string_view kHalves = "halves";

// The types that values or weights of the model have: none, kFloat16, kBFloat16 or both in this order. They are those
// of the attribute, and of casts between them and float32. Throws Error(kBadData) if the attribute names another type.
// The function must have its types.
std::vector<DType> HalfTypesOf(const Function& main);

}  // namespace hone::relay
