// Pass: transposes sink until they meet their inverse, as in models that keep channels last.
//
//    transpose -> conv -> transpose -> add -> relu -> transpose -> conv -> transpose
//    becomes
//    transpose -> conv -> add -> relu -> conv -> transpose
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A transpose of a transpose becomes one. An operator on a transposed tensor becomes the transpose of that operator on
// the original tensor. This holds for elementwise operators, and for broadcasts with constants or with less than half
// as many elements. It also holds for nn.bias_add, nn.prelu, nn.pad, reductions, softmax, concatenations, splits,
// slices and takes.
//
// A transpose that moves only axes of one element becomes a reshape. Returns the module as it was if this does not
// reduce the number of transposed elements.
relay::IRModule SinkTransposes(const relay::IRModule& module);

}  // namespace hone
