// Removes a trailing softmax: it compresses errors, so its inputs are compared instead.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"

namespace hone {

// The module without the softmax that its only output ends in, and that softmax's attributes. The module is typed.
// WithoutTrailingSoftmax returns nullopt if there is no such softmax.
struct Logits {
  relay::IRModule module;
  relay::Attrs softmax;
};
std::optional<Logits> WithoutTrailingSoftmax(const relay::IRModule& typed);

// The softmax of the logits, by the operator's reference.
Tensor ApplySoftmax(const Tensor& logits, const relay::Attrs& attrs);

}  // namespace hone
