#include "compiler/passes/graph/anchor_result.h"

#include <algorithm>

#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {

Shape ResultShape(const Workload& workload) {
  if (!workload.is_batch_matmul()) return workload.OutputShape();
  return {workload.Extent('B'), workload.Extent('M'), workload.Extent('N')};
}

const relay::Call* AnchorCallIn(const relay::Function& function, const Workload& workload) {
  const relay::Call* last = nullptr;
  for (const relay::ExprPtr& expr : PostOrder(function.body)) {
    const relay::Call* call = relay::AsCallTo(expr, workload.op);
    if (call != nullptr && call->type->shape == ResultShape(workload)) last = call;
  }
  return last;
}

namespace {

void SetMatmulAxes(Workload& workload, const Shape& result) {
  constexpr std::string_view kAxes = "BMN";
  for (const int operand : {0, 1}) {
    const std::string_view axes = workload.OperandAxes(operand);
    Shape& shape = operand == 0 ? workload.data : workload.weight;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t axis = kAxes.find(axes[i]);
      const bool shared = axes[i] == 'B' && shape[i] == 1;  // one weight for every product
      if (axis != std::string_view::npos && !shared) shape[i] = result[axis];
    }
  }
}

}  // namespace

Workload WithResult(const Workload& workload, const Shape& result) {
  Workload smaller = workload;
  const Shape whole = ResultShape(workload);
  if (workload.is_batch_matmul()) {
    SetMatmulAxes(smaller, result);
    return smaller;
  }
  smaller.data[0] = result[0];
  for (size_t i = 2; i < whole.size(); ++i) {
    smaller.data[i] = std::max<int64_t>(1, workload.data[i] - (whole[i] - result[i]) * Nth(workload.strides, i - 2));
  }
  return smaller;
}

}  // namespace hone
