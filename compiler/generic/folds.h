// Operators that fold whole axes of their data: reductions and global pools.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Whether the typed call is one. It reads each element of its data once.
bool IsFold(const relay::Call& call);

// The axes that a reduction names, ascending: all of data of that rank when it names none.
std::vector<int64_t> ReducedAxes(const relay::Call& call, size_t rank);

}  // namespace hone
