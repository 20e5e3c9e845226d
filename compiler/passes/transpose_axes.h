// The attributes of a transpose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// For each axis of the result the argument's: none below zero, and the reversed order when the call names none.
std::vector<int64_t> TransposeAxes(const relay::Call& transpose);

// The names of the argument's axes when `result` are those of the result, a letter each: "MBK" for "BMK" and axes
// (1, 0, 2).
std::string TransposedFrom(const relay::Call& transpose, std::string_view result);

}  // namespace hone
