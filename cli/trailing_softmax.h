// A softmax squeezes errors: what is compared is what goes into it.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"

namespace hone {

// The module without the softmax that its only output ends in, and that softmax's attributes; nullopt when there is
// none. The result has its types.
struct Logits {
  relay::IRModule module;
  relay::Attrs softmax;
};
std::optional<Logits> WithoutTrailingSoftmax(const relay::IRModule& typed);

// The softmax of the logits, by the operator's reference.
Tensor ApplySoftmax(const Tensor& logits, const relay::Attrs& attrs);

}  // namespace hone
