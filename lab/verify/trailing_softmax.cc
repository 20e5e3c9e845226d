#include "lab/verify/trailing_softmax.h"

#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"

namespace hone {

std::optional<Logits> WithoutTrailingSoftmax(const relay::IRModule& typed) {
  const relay::Call* softmax = relay::AsCallTo(typed.main->body, "nn.softmax");
  if (softmax == nullptr) return std::nullopt;
  Logits logits;
  logits.softmax = softmax->attrs;
  logits.module = typed;
  logits.module.main = relay::WithFields(*typed.main, typed.main->params, softmax->args[0]);
  logits.module = relay::InferType(logits.module);
  return logits;
}

Tensor ApplySoftmax(const Tensor& logits, const relay::Attrs& attrs) {
  return relay::FindOp("nn.softmax")->reference({logits}, attrs).at(0);
}

}  // namespace hone
