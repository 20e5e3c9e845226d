#include "compiler/ops/op_calls.h"

#include <cmath>
#include <string_view>

#include "compiler/relay/op.h"

namespace hone::relay {

ActivationCall ReadActivation(const ActivationRow& row, const Attrs& attrs) {
  const auto parameter = [&](size_t i) {
    if (i >= row.parameters.size()) return 0.0;
    return attrs.GetFloat(row.parameters[i].attribute, row.parameters[i].otherwise);
  };
  return {&row, parameter(0), parameter(1)};
}

std::optional<ActivationCall> AsActivation(const Call& call) {
  const Op* op = AsOp(call.op);
  const ActivationRow* row = op ? ActivationOfOp(op->def->name) : nullptr;
  return row ? std::optional(ReadActivation(*row, call.attrs)) : std::nullopt;
}

namespace {

constexpr double kMostBound = 2147483648.0;  // exporters write the largest float32 for no bound

// A call's first argument if it is a call of the operator `name`, else null.
const Call* CallBelow(const Call& call, std::string_view name) {
  const Call* below = AsCall(call.args[0]);
  const Op* op = below != nullptr ? AsOp(below->op) : nullptr;
  return op != nullptr && op->def->name == name ? below : nullptr;
}

}  // namespace

std::optional<RoundedQuotient> AsRoundedQuotient(const Call& clip) {
  const Op* op = AsOp(clip.op);
  if (op == nullptr || op->def->name != "clip") return std::nullopt;
  const Call* round = CallBelow(clip, "round");
  const Call* division = round != nullptr ? CallBelow(*round, "divide") : nullptr;
  if (division == nullptr || division->type->dtype != DType::kFloat32) return std::nullopt;
  const Constant* step = AsConstant(division->args[1]);
  const std::optional<ActivationCall> bounds = AsActivation(clip);
  const bool bounded = bounds && std::abs(bounds->lo) <= kMostBound && std::abs(bounds->hi) <= kMostBound;
  if (step == nullptr || !step->value.shape().empty() || !bounded) return std::nullopt;
  const auto by = static_cast<float>(step->value.At(0));
  if (!(by > 0) || !std::isfinite(by)) return std::nullopt;
  return RoundedQuotient{division, by, bounds->lo, bounds->hi};
}

bool IsKeptReduction(const Call& call) {
  const OpDef& op = *AsOp(call.op)->def;
  const bool whole = op.traits.folds == Folds::kAxis || op.traits.folds == Folds::kImage;
  if (op.pattern != OpPattern::kReduction || !whole) return false;
  const TypePtr &data = call.args[0]->type, &result = call.type;
  return IsFloatTensor(data) && IsFloatTensor(result) && data->shape.size() == result->shape.size() &&
         data->shape != result->shape;
}

}  // namespace hone::relay
