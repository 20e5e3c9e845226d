#include "compiler/plan/image_steps.h"

#include "compiler/ops/kernel_whole.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/schedules/schedule.h"

namespace hone {

std::vector<relay::TypePtr> OperandTypes(const relay::Function& function) {
  std::vector<relay::TypePtr> types;
  types.reserve(function.params.size() + 1);
  for (const auto& param : function.params) types.push_back(param->type);
  const relay::TypePtr& result = function.body->type;
  if (result->kind == relay::TypeKind::kTensor) {
    types.push_back(result);
  } else {
    types.insert(types.end(), result->fields.begin(), result->fields.end());
  }
  return types;
}

bool StepsBetweenImages(const relay::Function& function, size_t operand) {
  const Anchor* anchor = AnchorOf(function);
  if (anchor == nullptr || !anchor->choice) return WholeCallOf(function) == nullptr;
  const Schedule& schedule = *FindSchedule(anchor->choice->schedule);
  const auto operands = schedule.Operands(anchor->workload, anchor->choice->config, anchor->epilogue);
  const OperandRole role = operands.at(operand).role;
  return role == OperandRole::kData || role == OperandRole::kResidual || role == OperandRole::kOutput;
}

}  // namespace hone
