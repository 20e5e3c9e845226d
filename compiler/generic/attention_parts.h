// What an attention's body is made of.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

struct AttentionParts {
  // The function must have an AttentionOf (attention.h).
  explicit AttentionParts(const relay::Function& function);

  const relay::Call* softmax;  // the function's
  relay::ExprPtr scores;       // of the softmax's shape: the product of queries and keys, perhaps reshaped
  int queries, keys, values;   // numbers of parameters
};

}  // namespace hone
