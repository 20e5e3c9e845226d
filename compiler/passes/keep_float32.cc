#include "compiler/passes/keep_float32.h"

#include <algorithm>
#include <array>

#include "compiler/passes/graph/mark_calls.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::ExprPtr;

bool IsProduct(const ExprPtr& expr) {
  constexpr std::array<const char*, 6> kProducts = {"nn.conv2d",           "nn.conv3d", "nn.conv2d_transpose",
                                                    "nn.conv3d_transpose", "nn.dense",  "nn.batch_matmul"};
  return std::any_of(kProducts.begin(), kProducts.end(), [&](const char* op) { return relay::AsCallTo(expr, op); });
}

relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names) {
  return MarkCalls(module, names, "keep_float32", IsProduct);
}

}  // namespace hone
