#include <algorithm>

#include "compiler/passes/canonicalise.h"
#include "compiler/passes/transpose_axes.h"

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

ExprPtr JoinTransposes(const ExprPtr& node, const Uses&) {
  const Call* outer = relay::AsCallTo(node, "transpose");
  const Call* inner = outer ? relay::AsCallTo(outer->args[0], "transpose") : nullptr;
  if (inner == nullptr) return nullptr;
  std::vector<int64_t> axes = TransposeAxes(*outer);
  for (int64_t& axis : axes) axis = TransposeAxes(*inner)[static_cast<size_t>(axis)];
  return TypedCall("transpose", inner->args, {{"axes", axes}}, outer->name);
}

bool IsIdentityTranspose(const Call& call) {
  const std::vector<int64_t> axes = TransposeAxes(call);
  return std::is_sorted(axes.begin(), axes.end());
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
  static const std::vector<Rule> rules{JoinReshapes, JoinTransposes, DropIdentity};
  return rules;
}

}  // namespace hone
