#include "compiler/plan/run_conditions.h"

#include <cstring>

#include "compiler/ops/kernel_whole.h"
#include "core/nth.h"

namespace hone {

RunConditions::RunConditions(const Plan& plan, const std::vector<relay::FunctionPtr>& functions,
                             const ParamBytes& params)
    : plan_(plan), functions_(functions), params_(params) {
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    for (const PlanView& view : Results(i)) writer_.try_emplace(view.buffer, i);
  }
}

std::vector<PlanView> RunConditions::Results(size_t call) const {
  const std::vector<PlanView>& operands = plan_.calls[call].operands;
  return {operands.begin() + static_cast<int64_t>(functions_[call]->params.size()), operands.end()};
}

const PlanView& RunConditions::Operand(size_t call, size_t argument) const {
  return Nth(plan_.calls[call].operands, ParameterOf(*functions_[call], argument));
}

std::optional<int> RunConditions::ConditionOf(const PlanView& view) const {
  const PlanBuffer& buffer = Nth(plan_.buffers, view.buffer);
  const bool is_number = buffer.dtype == DType::kInt64 && buffer.size_bytes == DTypeBytes(DType::kInt64);
  const bool is_kept = buffer.kind == BufferKind::kArena;
  return is_number && is_kept && view.offset_bytes == 0 ? std::optional(view.buffer) : std::nullopt;
}

std::optional<size_t> RunConditions::WriterOf(int buffer) const {
  const auto writer = writer_.find(buffer);
  return writer == writer_.end() ? std::nullopt : std::optional(writer->second);
}

int RunConditions::Outer(int condition) const {
  const std::optional<size_t> call = WriterOf(condition);
  if (!call || plan_.calls[*call].op != kChoose || !IsZero(Operand(*call, kOtherwise))) return kAlways;
  return ConditionOf(Operand(*call, kRunsThen)).value_or(kAlways);
}

bool RunConditions::Implies(int inner, int outer) const {
  int each = inner;
  while (each != kAlways && each != outer) each = Outer(each);
  return each == outer;
}

bool RunConditions::IsZero(const PlanView& view) const {
  const PlanBuffer& buffer = Nth(plan_.buffers, view.buffer);
  if (buffer.kind != BufferKind::kParam || buffer.size_bytes != DTypeBytes(DType::kInt64)) return false;
  int64_t value = 1;
  std::memcpy(&value, params_.At(buffer.offset_bytes, buffer.size_bytes).data(), sizeof(value));
  return value == 0;
}

}  // namespace hone
