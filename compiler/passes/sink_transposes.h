// Pass: transposes move down to where they meet their inverse, as in models that keep channels last.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A transpose of a transpose is one; an elementwise operator, a broadcast with constants or with less than half as many
// elements, nn.bias_add, nn.prelu, nn.pad, a reduction, a softmax, a concatenation, a split, a slice or a take of a
// transposed tensor becomes the transpose of that operator on the tensor as it was. A transpose that moves axes of one
// element alone becomes a reshape. The module is returned as it was when fewer elements are not transposed this way.
relay::IRModule SinkTransposes(const relay::IRModule& module);

}  // namespace hone
