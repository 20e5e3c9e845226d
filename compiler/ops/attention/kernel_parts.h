// The parts of an attention's body.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

struct AttentionParts {
  // The function must have an AttentionOf (attention.h).
  explicit AttentionParts(const relay::Function& function);

  const relay::Call* softmax;  // calls of the function
  relay::ExprPtr scores;       // product of queries and keys in the softmax's shape, perhaps reshaped
  int queries, keys, values;   // parameter numbers
};

}  // namespace hone
