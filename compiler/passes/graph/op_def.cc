#include "compiler/passes/graph/op_def.h"

#include <algorithm>

namespace hone {

const relay::OpDef* DefOf(const relay::ExprPtr& expr) {
  const relay::Call* call = relay::AsCall(expr);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  return op != nullptr ? op->def : nullptr;
}

bool HasAttr(const relay::OpDef& op, std::string_view name, relay::AttrKind kind) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [&](const relay::AttrSpec& attr) { return attr.name == name && attr.kind == kind; });
}

bool JoinsFields(const relay::OpDef& op) { return op.name == "concatenate" || op.name == "nn.interleave"; }

const relay::Call* AsJoin(const relay::ExprPtr& expr) {
  const relay::OpDef* op = DefOf(expr);
  return op != nullptr && JoinsFields(*op) ? relay::AsCall(expr) : nullptr;
}

std::array<int64_t, 4> Padding4(const relay::Attrs& attrs) {
  const std::vector<int64_t> given = attrs.GetInts("padding");
  if (given.empty()) return {0, 0, 0, 0};
  if (given.size() == 1) return {given[0], given[0], given[0], given[0]};
  if (given.size() == 2) return {given[0], given[1], given[0], given[1]};
  return {given.at(0), given.at(1), given.at(2), given.at(3)};
}

std::array<int64_t, 2> Pair(const relay::Attrs& attrs, std::string_view name) {
  const std::vector<int64_t> given = attrs.GetInts(name);
  if (given.empty()) return {1, 1};
  return {given[0], given.size() == 1 ? given[0] : given[1]};
}

}  // namespace hone
