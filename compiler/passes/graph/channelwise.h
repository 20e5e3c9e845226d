// float32 images and what treats their channels one by one.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A float32 tensor of four known dims.
bool IsImage(const relay::ExprPtr& expr);
// An elementwise operator of one argument with a float32 result.
bool IsUnary(const relay::Call& call);
// nn.bias_add along axis 1.
bool IsBias(const relay::Call& call);

}  // namespace hone
