// Inputs of a model whose integers pick elements of a tensor: token ids, positions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/index_bounds.h"

namespace hone {

// By input name, how many elements each of its integers picks from: of the axis that it indexes, also after a cast, in
// another order or shape, or joined with others; of several axes the shortest. Inputs that index nothing, or only axes
// without elements, are absent. The module needs its types.
std::map<std::string, IndexBounds> IndexExtents(const relay::IRModule& typed);

}  // namespace hone
