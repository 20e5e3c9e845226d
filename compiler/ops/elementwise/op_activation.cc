#include "compiler/ops/elementwise/op_activation.h"

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

}  // namespace hone::relay
