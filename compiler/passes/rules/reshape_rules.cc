#include <algorithm>

#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/rules/canonicalise.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

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

ExprPtr OneTranspose(const ExprPtr& node, const Uses&) { return JoinTransposes(node); }

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
  static const std::vector<Rule> rules{JoinReshapes, OneTranspose, DropIdentity};
  return rules;
}

}  // namespace hone
