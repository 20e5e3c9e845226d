#include "compiler/passes/mark_calls.h"

#include <algorithm>
#include <array>
#include <functional>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Sets the attribute `flag` to true on the calls with these names for which `takes` holds.
relay::IRModule MarkCalls(const relay::IRModule& module, const std::set<std::string>& names, const std::string& flag,
                          const std::function<bool(const ExprPtr&)>& takes) {
  const ExprPtr body = relay::RewritePostOrder(module.main->body, [&](const ExprPtr&, const ExprPtr& now) -> ExprPtr {
    if (!takes(now)) return now;
    const Call& call = *relay::AsCall(now);
    if (names.count(call.name) == 0) return now;
    relay::Attrs attrs = call.attrs;
    attrs.Set(flag, true);
    auto marked = std::make_shared<Call>(call.op, call.args, attrs, call.name);
    marked->type = call.type;
    return marked;
  });
  if (body == module.main->body) return module;
  relay::IRModule result = module;
  const auto main = relay::WithFields(*module.main, module.main->params, body);
  main->type = module.main->type;
  result.main = main;
  return result;
}

}  // namespace

bool IsConvolution(const ExprPtr& expr) {
  constexpr std::array<const char*, 4> kConvolutions = {"nn.conv2d", "nn.conv3d", "nn.conv2d_transpose",
                                                        "nn.conv3d_transpose"};
  return std::ranges::any_of(kConvolutions, [&](const char* op) { return relay::AsCallTo(expr, op) != nullptr; });
}

relay::IRModule KeepExact(const relay::IRModule& module, const std::set<std::string>& names) {
  return MarkCalls(module, names, "exact_math", IsConvolution);
}

bool IsProduct(const ExprPtr& expr) {
  return IsConvolution(expr) || relay::AsCallTo(expr, "nn.dense") || relay::AsCallTo(expr, "nn.batch_matmul");
}

relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names) {
  return MarkCalls(module, names, "keep_float32", IsProduct);
}

}  // namespace hone
