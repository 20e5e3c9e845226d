#include "compiler/passes/keep_float32.h"

#include <algorithm>
#include <array>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

bool IsProduct(const ExprPtr& expr) {
  constexpr std::array<const char*, 6> kProducts = {"nn.conv2d",           "nn.conv3d", "nn.conv2d_transpose",
                                                    "nn.conv3d_transpose", "nn.dense",  "nn.batch_matmul"};
  return std::any_of(kProducts.begin(), kProducts.end(), [&](const char* op) { return relay::AsCallTo(expr, op); });
}

relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names) {
  const ExprPtr body = relay::RewritePostOrder(module.main->body, [&](const ExprPtr&, const ExprPtr& now) -> ExprPtr {
    if (!IsProduct(now)) return now;
    const Call& product = *relay::AsCall(now);
    if (names.count(product.name) == 0) return now;
    relay::Attrs attrs = product.attrs;
    attrs.Set("keep_float32", true);
    auto marked = std::make_shared<Call>(product.op, product.args, attrs, product.name);
    marked->type = product.type;
    return marked;
  });
  if (body == module.main->body) return module;
  relay::IRModule kept = module;
  const auto main = relay::WithFields(*module.main, module.main->params, body);
  main->type = module.main->type;
  kept.main = main;
  return kept;
}

}  // namespace hone
