#include "compiler/passes/group_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/passes/layout_text.h"
#include "compiler/passes/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::TypePtr;

namespace {

// The block that most elements of the arguments lie in already, or 0.
int64_t CommonBlock(const std::vector<TypePtr>& args) {
  std::map<int64_t, int64_t> elements;
  for (const TypePtr& arg : args) {
    if (const int64_t block = ChannelBlock(arg); block != 0) elements[block] += ElementCount(arg->shape);
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == elements.end() ? 0 : most->first;
}

GroupLayout RowMajor(size_t operands) { return {std::vector<std::string>(operands), ""}; }

GroupLayout LayoutForConcat(const Call& concat, const std::vector<TypePtr>& args) {
  const Shape& shape = concat.type->shape;
  const int64_t axis = concat.attrs.GetInt("axis");
  const int64_t block = CommonBlock(args);
  if (block == 0 || shape.size() != 4 || (axis != 1 && axis != -3)) return RowMajor(args.size());
  const bool fits =
      std::all_of(args.begin(), args.end() - 1, [&](const TypePtr& arg) { return arg->shape[1] % block == 0; });
  if (!fits) return RowMajor(args.size());
  const std::string layout = fmt::format("NCHW{}c", block);
  return {std::vector<std::string>(args.size(), layout), layout};
}

// Channels are read one by one wherever they lie; rows and columns are whole blocks.
bool TakesInAnyLayout(const Call& call, const std::vector<TypePtr>& args) {
  return relay::AsOp(call.op)->def->name == "take" && args.size() == 1 && call.type->shape.size() == 4 &&
         args[0]->shape.size() == 4 && call.attrs.GetInt("axis") >= 1 && args[0]->dtype == DType::kFloat32;
}

std::vector<const Call*> CallsIn(const relay::Function& function) {
  std::vector<const Call*> calls;
  for (const ExprPtr& expr : PostOrder(function.body)) {
    if (const Call* call = relay::AsCall(expr)) calls.push_back(call);
  }
  return calls;
}

// Every operator can, and every value made within is of rank 4 with the same channels.
bool CanBlock(const std::vector<const Call*>& calls, int64_t channels) {
  return std::all_of(calls.begin(), calls.end(), [&](const Call* call) {
    const relay::LayoutRule rule = relay::AsOp(call->op)->def->layout;
    const bool can = rule == relay::LayoutRule::kAny || rule == relay::LayoutRule::kNCHWc;
    return can && call->type->kind == relay::TypeKind::kTensor && call->type->dtype == DType::kFloat32 &&
           call->type->shape.size() == 4 && call->type->shape[1] == channels;
  });
}

// The data of a pool, or an operand as large as the result: it must lie as the result does.
bool IsFull(const relay::Var& param, const Call& first, const Shape& result) {
  if (param.type->shape == result) return true;
  const bool reads =
      relay::AsOp(first.op)->def->pattern == relay::OpPattern::kReduction && first.args[0].get() == &param;
  return reads && param.type->shape.size() == 4 && param.type->shape[1] == result[1];
}

}  // namespace

GroupLayout LayoutForGroup(const relay::Function& function, const std::vector<TypePtr>& args) {
  const std::vector<const Call*> calls = CallsIn(function);
  if (calls.size() == 1 && relay::AsOp(calls[0]->op)->def->name == "concatenate")
    return LayoutForConcat(*calls[0], args);
  if (calls.size() == 1 && TakesInAnyLayout(*calls[0], args)) return {{args[0]->layout}, args[0]->layout};
  const TypePtr& result = function.body->type;
  if (result->kind != relay::TypeKind::kTensor || result->shape.size() != 4 || !CanBlock(calls, result->shape[1])) {
    return RowMajor(args.size());
  }
  std::vector<TypePtr> full;
  for (size_t i = 0; i < args.size(); ++i) {
    if (IsFull(*function.params[i], *calls[0], result->shape)) full.push_back(args[i]);
  }
  const int64_t block = CommonBlock(full);
  if (block == 0) return RowMajor(args.size());
  GroupLayout layout{std::vector<std::string>(args.size()), fmt::format("NCHW{}c", block)};
  for (size_t i = 0; i < args.size(); ++i) {
    if (IsFull(*function.params[i], *calls[0], result->shape)) layout.operands[i] = layout.result;
  }
  return layout;
}

}  // namespace hone
