// The quantisation steps of a model's outputs.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The step of each output. Integers have step 1. A product of integers and a constant scale has the scale, or the
// largest scale of a channel. Operators behind it that only move elements keep that step. Any other output has 0.
std::vector<double> OutputQuanta(const relay::IRModule& typed);

}  // namespace hone
