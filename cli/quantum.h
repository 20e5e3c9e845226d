// The quantisation steps of a model's outputs.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The step of each output: 1 for integers. For an output that is an integer times a constant scale, at most moved
// afterwards, it is the scale, or the largest scale of a channel. 0 for any other output.
std::vector<double> OutputQuanta(const relay::IRModule& typed);

}  // namespace hone
