// Inputs of a model whose integers index a tensor: token ids, positions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/index_bounds.h"

namespace hone {

// By input name, for each of its integers the number of elements that it indexes: the extent of the axis. Integers are
// followed through casts, other orders and shapes, and joins with others. If one indexes several axes, the shortest
// counts. Inputs that index nothing, or only axes without elements, are absent. The module must have types.
std::map<std::string, IndexBounds> IndexExtents(const relay::IRModule& typed);

}  // namespace hone
