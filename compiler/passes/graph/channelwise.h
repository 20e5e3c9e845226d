// Images of floats, and operators that treat channels one by one.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A tensor of floats with four known dims.
bool IsImage(const relay::ExprPtr& expr);
// An elementwise operator of one argument with a result of floats.
bool IsUnary(const relay::Call& call);
// nn.bias_add along axis 1.
bool IsBias(const relay::Call& call);
// Whether the operator computes each element of an image from the same element of its first argument and from
// constants. The constants do not vary over images, rows and columns.
bool TreatsPixelsAlike(const relay::Call& call);

}  // namespace hone
