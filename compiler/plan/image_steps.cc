#include "compiler/plan/image_steps.h"

#include <optional>

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
  const Schedule* schedule = FindSchedule(function.attrs.GetString("schedule"));
  const std::optional<Anchor> anchor = AnchorOf(function);
  if (schedule == nullptr || !anchor) return true;
  const Config config = Config::Parse(function.attrs.GetString("config"));
  const OperandRole role = schedule->Operands(anchor->workload, config, anchor->epilogue).at(operand).role;
  return role == OperandRole::kData || role == OperandRole::kResidual || role == OperandRole::kOutput;
}

}  // namespace hone
