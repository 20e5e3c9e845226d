// Rules that drop operators which change no integer, so that quantised values pass between float kernels directly.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// For integers up to this magnitude, dividing and multiplying back is off by less than a half.
constexpr double kSmall = 65536;

std::optional<WholeRange> CastRange(DType dtype) {
  if (dtype == DType::kUInt8) return WholeRange{0, 255};
  if (dtype == DType::kInt8) return WholeRange{-128, 127};
  if (dtype == DType::kInt32) return WholeRange{-2147483648.0, 2147483520.0};
  return std::nullopt;
}

// The float32 integers that the expression casts, if the cast keeps them all; else null.
ExprPtr WholeBehindCast(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  const auto fits = cast != nullptr ? CastRange(cast->type->dtype) : std::nullopt;
  const auto range = fits ? WholeRangeOf(cast->args[0]) : std::nullopt;
  return range && range->Within(fits->low, fits->high) ? cast->args[0] : nullptr;
}

ExprPtr DropCasts(const ExprPtr& node, const Uses&) {
  const Call* cast = relay::AsCallTo(node, "cast");
  return cast != nullptr && cast->type->dtype == DType::kFloat32 ? WholeBehindCast(cast->args[0]) : nullptr;
}

// Moving a cast to 8 bits becomes a cast of the moved value.
ExprPtr MoveBeforeCast(const ExprPtr& node, const Uses&) {
  const Call* move = relay::AsCall(node);
  const relay::Op* op = move != nullptr ? relay::AsOp(move->op) : nullptr;
  if (op == nullptr || node->type->kind != relay::TypeKind::kTensor || op->def->pattern != relay::OpPattern::kInjective)
    return nullptr;
  if (JoinsFields(*op->def) || op->def->name == "layout_transform" || move->args.size() != 1) return nullptr;
  const ExprPtr whole = WholeBehindCast(move->args[0]);
  if (whole == nullptr) return nullptr;
  return TypedCast(TypedCall(op->def->name, {whole}, move->attrs, move->name), node->type->dtype);
}

ExprPtr JoinBeforeCast(const ExprPtr& node, const Uses&) {
  const Call* concat = AsJoin(node);
  const relay::Tuple* tuple = concat != nullptr ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::vector<ExprPtr> parts;
  for (const ExprPtr& field : tuple->fields) {
    parts.push_back(WholeBehindCast(field));
    if (parts.back() == nullptr) return nullptr;
  }
  const ExprPtr joined = TypedCall(DefOf(node)->name, {TypedTuple(parts)}, concat->attrs, concat->name);
  return TypedCast(joined, node->type->dtype);
}

// The call if it moves the elements of its one argument; else null.
const Call* MoveOf(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  const bool moves = op != nullptr && op->def->traits.moves && op->def->pattern == relay::OpPattern::kInjective;
  return moves && call->args.size() == 1 && call->type->kind == relay::TypeKind::kTensor ? call : nullptr;
}

// Simplifies round(x) + c, clipped to [a, b], minus c.
ExprPtr SubtractFromBounds(const ExprPtr& node, const Uses&) {
  const Call* subtract = relay::AsCallTo(node, "subtract");
  const auto by = subtract != nullptr ? ScalarOf(subtract->args[1]) : std::nullopt;
  if (!by || ShapeOf(subtract->args[0]) != ShapeOf(node)) return nullptr;
  const Call* clip = relay::AsCallTo(subtract->args[0], "clip");
  const Call* add = relay::AsCallTo(clip != nullptr ? clip->args[0] : subtract->args[0], "add");
  if (add == nullptr || ScalarOf(add->args[1]) != by || ShapeOf(add->args[0]) != ShapeOf(node)) return nullptr;
  const auto whole = WholeRangeOf(add->args[0]);
  const auto kept = WholeRangeOf(subtract->args[0]);
  if (!whole || !kept || !kept->Within(-kSmall, kSmall)) return nullptr;
  if (clip == nullptr) return add->args[0];
  const relay::Attrs bounds{{"a_min", clip->attrs.GetFloat("a_min") - *by},
                            {"a_max", clip->attrs.GetFloat("a_max") - *by}};
  return TypedCall("clip", {add->args[0]}, bounds, clip->name);
}

// Subtracting a zero point from a moved value becomes moving the difference, which then has the form above.
ExprPtr SubtractBeforeMoves(const ExprPtr& node, const Uses& uses) {
  const Call* subtract = relay::AsCallTo(node, "subtract");
  if (subtract == nullptr || !ScalarOf(subtract->args[1]) || ShapeOf(subtract->args[0]) != ShapeOf(node)) {
    return nullptr;
  }
  std::vector<const Call*> moves;
  ExprPtr from = subtract->args[0];
  for (const Call* move = MoveOf(from); move != nullptr; move = MoveOf(from)) {
    moves.push_back(move);
    from = move->args[0];
  }
  if (moves.empty()) return nullptr;
  ExprPtr moved = SubtractFromBounds(TypedCall("subtract", {from, subtract->args[1]}, {}, subtract->name), uses);
  if (moved == nullptr) return nullptr;
  for (size_t i = moves.size(); i-- > 0;) {
    moved = TypedCall(relay::AsOp(moves[i]->op)->def->name, {moved}, moves[i]->attrs, moves[i]->name);
  }
  return moved;
}

ExprPtr DropBounds(const ExprPtr& node, const Uses&) {
  const Call* clip = relay::AsCallTo(node, "clip");
  const auto range = clip != nullptr ? WholeRangeOf(clip->args[0]) : std::nullopt;
  const WholeRange none;
  const bool held =
      range && range->Within(clip->attrs.GetFloat("a_min", none.low), clip->attrs.GetFloat("a_max", none.high));
  return held ? clip->args[0] : nullptr;
}

// Simplifies round(x * s / s).
ExprPtr DropRequantising(const ExprPtr& node, const Uses&) {
  const Call* round = relay::AsCallTo(node, "round");
  if (round == nullptr) return nullptr;
  const auto known = WholeRangeOf(round->args[0]);
  if (known) return round->args[0];
  const Call* divide = relay::AsCallTo(round->args[0], "divide");
  const Call* multiply = divide != nullptr ? relay::AsCallTo(divide->args[0], "multiply") : nullptr;
  const auto scale = multiply != nullptr ? ScalarOf(multiply->args[1]) : std::nullopt;
  if (!scale || ScalarOf(divide->args[1]) != scale || !std::isnormal(static_cast<float>(*scale))) return nullptr;
  const auto range = WholeRangeOf(multiply->args[0]);
  const bool small = range && range->Within(-kSmall, kSmall) && ShapeOf(multiply->args[0]) == ShapeOf(node);
  return small ? multiply->args[0] : nullptr;
}

}  // namespace

const std::vector<Rule>& WholeNumberRules() {
  static const std::vector<Rule> rules{DropCasts,           MoveBeforeCast, JoinBeforeCast,  SubtractFromBounds,
                                       SubtractBeforeMoves, DropBounds,     DropRequantising};
  return rules;
}

}  // namespace hone
