// Inputs of a model whose integers pick elements of a tensor: token ids, positions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// By input name, the elements of the shortest axis that its integers index, also after a cast or another shape: 0 up to
// one less are in range. Inputs that index nothing, or only an axis without elements, are absent. The module needs its
// types.
std::map<std::string, int64_t> IndexExtents(const relay::IRModule& typed);

}  // namespace hone
