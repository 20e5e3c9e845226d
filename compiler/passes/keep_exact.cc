#include "compiler/passes/keep_exact.h"

#include <algorithm>
#include <array>

#include "compiler/passes/graph/mark_calls.h"
#include "compiler/relay/op.h"

namespace hone {

bool IsConvolution(const relay::ExprPtr& expr) {
  constexpr std::array<const char*, 4> kConvolutions = {"nn.conv2d", "nn.conv3d", "nn.conv2d_transpose",
                                                        "nn.conv3d_transpose"};
  return std::any_of(kConvolutions.begin(), kConvolutions.end(),
                     [&](const char* op) { return relay::AsCallTo(expr, op) != nullptr; });
}

relay::IRModule KeepExact(const relay::IRModule& module, const std::set<std::string>& names) {
  return MarkCalls(module, names, "exact_math", IsConvolution);
}

}  // namespace hone
