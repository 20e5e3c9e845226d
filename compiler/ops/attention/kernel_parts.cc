#include "compiler/ops/attention/kernel_parts.h"

#include <string_view>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

ExprPtr WithoutCalls(ExprPtr expr, std::string_view op) {
  while (const Call* call = relay::AsCallTo(expr, op)) expr = call->args[0];
  return expr;
}

}  // namespace

AttentionParts::AttentionParts(const relay::Function& function) : softmax(nullptr) {
  const Call& product = *relay::AsCall(WithoutCalls(WithoutCalls(function.body, "transpose"), "cast"));
  softmax = relay::AsCall(WithoutCalls(WithoutCalls(WithoutCalls(product.args[0], "reshape"), "cast"), "reshape"));
  relay::PostOrderVisit(softmax->args[0], [&](const ExprPtr& expr) {
    if (relay::AsCallTo(WithoutCalls(expr, "reshape"), "nn.batch_matmul") != nullptr) scores = expr;
  });
  const Call& scored = *relay::AsCall(WithoutCalls(scores, "reshape"));
  const auto parameter = [&](const ExprPtr& arg) {
    const ExprPtr param = WithoutCalls(arg, "transpose");
    for (size_t i = 0; i < function.params.size(); ++i) {
      if (function.params[i] == param) return static_cast<int>(i);
    }
    throw Error(ExitCode::kBug, "an attention's product reads what is no parameter");
  };
  queries = parameter(scored.args[0]);
  keys = parameter(scored.args[1]);
  values = parameter(product.args[1]);
}

}  // namespace hone
