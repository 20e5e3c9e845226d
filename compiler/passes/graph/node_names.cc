#include "compiler/passes/graph/node_names.h"

#include <algorithm>

#include "compiler/relay/visitor.h"

namespace hone {

std::vector<std::string> NodeNames(const relay::Function& function) {
  std::vector<std::string> names;
  relay::PostOrderVisit(function.body, [&](const relay::ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr || call->name.empty()) return;
    if (std::find(names.begin(), names.end(), call->name) == names.end()) names.push_back(call->name);
  });
  return names;
}

}  // namespace hone
