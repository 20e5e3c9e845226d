// The steps in which a quantised model's outputs go.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Per output of a model whose outputs are whole numbers times a constant scale, moved about at most: that scale, the
// largest of them where channels have their own. 1 for integers; 0 for an output that is anything else.
std::vector<double> OutputQuanta(const relay::IRModule& typed);

}  // namespace hone
