#include "compiler/passes/layouts/fold_layouts.h"

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/layout_text.h"

namespace hone {
namespace {

Tensor Unpacked(const relay::Constant& constant) {
  const relay::Type& type = *constant.type;
  return type.layout.empty() ? constant.value : Unpack(constant.value, Layout::Parse(type.layout), type.shape);
}

relay::ExprPtr Packed(const relay::ExprPtr& node, const Uses&) {
  const relay::Call* call = relay::AsCall(node);
  const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
  if (function == nullptr || relay::AsCallTo(function->body, "layout_transform") == nullptr) return nullptr;
  const relay::Constant* constant = relay::AsConstant(call->args[0]);
  if (constant == nullptr) return nullptr;
  const std::string& layout = function->body->type->layout;
  Tensor value = Unpacked(*constant);
  if (!layout.empty()) value = Pack(value, Layout::Parse(layout));
  auto packed = std::make_shared<relay::Constant>(std::move(value), constant->name);
  packed->type = function->body->type;
  return packed;
}

}  // namespace

relay::IRModule FoldLayouts(const relay::IRModule& module) { return RewriteByRules(module, {Packed}); }

}  // namespace hone
