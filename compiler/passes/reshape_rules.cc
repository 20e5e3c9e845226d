#include <algorithm>
#include <numeric>

#include "compiler/passes/canonicalise.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsStatic(const Shape& shape) {
  return std::none_of(shape.begin(), shape.end(), [](int64_t dim) { return dim == relay::kAnyDim; });
}

ExprPtr AsReshape(const ExprPtr& node, const Uses&) {
  for (const char* name : {"nn.batch_flatten", "squeeze", "expand_dims"}) {
    const Call* call = relay::AsCallTo(node, name);
    if (call != nullptr && IsStatic(ShapeOf(node))) {
      return TypedCall("reshape", call->args, {{"newshape", ShapeOf(node)}}, call->name);
    }
  }
  return nullptr;
}

ExprPtr JoinReshapes(const ExprPtr& node, const Uses&) {
  const Call* outer = relay::AsCallTo(node, "reshape");
  const Call* inner = outer ? relay::AsCallTo(outer->args[0], "reshape") : nullptr;
  if (inner == nullptr || !IsStatic(ShapeOf(node))) return nullptr;
  return TypedCall("reshape", inner->args, {{"newshape", ShapeOf(node)}}, outer->name);
}

bool IsIdentityTranspose(const Call& call) {
  const size_t rank = ShapeOf(call.args[0]).size();
  const std::vector<int64_t> axes = call.attrs.GetInts("axes");
  if (axes.empty()) return rank < 2;
  std::vector<int64_t> in_order(axes.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  return std::equal(axes.begin(), axes.end(), in_order.begin(), [&](int64_t axis, int64_t i) {
    return (axis < 0 ? axis + static_cast<int64_t>(rank) : axis) == i;
  });
}

ExprPtr DropIdentity(const ExprPtr& node, const Uses&) {
  for (const char* name : {"reshape", "cast", "broadcast_to"}) {
    const Call* call = relay::AsCallTo(node, name);
    if (call != nullptr && IsStatic(ShapeOf(node)) && relay::Equal(call->type, call->args[0]->type))
      return call->args[0];
  }
  if (const Call* pad = relay::AsCallTo(node, "nn.pad")) {
    const std::vector<int64_t> width = pad->attrs.GetInts("pad_width");
    if (std::all_of(width.begin(), width.end(), [](int64_t w) { return w == 0; })) return pad->args[0];
  }
  const Call* transpose = relay::AsCallTo(node, "transpose");
  if (transpose != nullptr && IsIdentityTranspose(*transpose)) return transpose->args[0];
  const Call* concat = relay::AsCallTo(node, "concatenate");
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  return tuple != nullptr && tuple->fields.size() == 1 ? tuple->fields[0] : nullptr;
}

}  // namespace

const std::vector<Rule>& ReshapeRules() {
  static const std::vector<Rule> rules{AsReshape};
  return rules;
}

const std::vector<Rule>& IdentityRules() {
  static const std::vector<Rule> rules{JoinReshapes, DropIdentity};
  return rules;
}

}  // namespace hone
