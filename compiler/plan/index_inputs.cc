#include "compiler/plan/index_inputs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;

// The input that an expression's integers are, in whatever order and type; null when they are computed.
const relay::Var* InputOf(ExprPtr expr) {
  while (const Call* call = relay::AsCall(expr)) {
    const relay::Op* op = relay::AsOp(call->op);
    if (op == nullptr || (!op->def->traits.moves && op->def->name != "cast")) return nullptr;
    expr = call->args[0];
  }
  return relay::AsVar(expr);
}

// Whether the second argument indexes the first.
bool Indexes(std::string_view op) {
  constexpr std::array kIndexing{"take", "gather", "gather_nd", "scatter_elements", "scatter_nd"};
  return std::find(kIndexing.begin(), kIndexing.end(), op) != kIndexing.end();
}

// The elements of the axes that the call's second argument indexes, the fewest.
int64_t IndexedExtent(const Call& call, const std::string& op) {
  const Shape& data = call.args[0]->type->shape;
  if (op != "gather_nd" && op != "scatter_nd") {
    const int64_t axis = call.attrs.GetInt("axis");
    return data.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(data.size()) : axis));
  }
  const auto first = data.begin() + call.attrs.GetInt("batch_dims", 0);
  return *std::min_element(first, first + call.args[1]->type->shape.at(0));
}

}  // namespace

std::map<std::string, int64_t> IndexExtents(const relay::IRModule& typed) {
  std::map<std::string, int64_t> extents;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) {
    const Call* call = relay::AsCall(expr);
    const relay::Op* op = call ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr || !Indexes(op->def->name)) return;
    const relay::Var* input = InputOf(call->args[1]);
    if (input == nullptr) return;
    const int64_t extent = IndexedExtent(*call, op->def->name);
    if (extent < 1) return;
    const auto [known, is_new] = extents.try_emplace(input->name, extent);
    known->second = std::min(known->second, extent);
  });
  return extents;
}

}  // namespace hone
