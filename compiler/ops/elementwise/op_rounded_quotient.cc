#include "compiler/ops/elementwise/op_rounded_quotient.h"

#include <cmath>
#include <string_view>

#include "compiler/ops/elementwise/op_activation.h"
#include "compiler/relay/op.h"

namespace hone::relay {
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

}  // namespace hone::relay
