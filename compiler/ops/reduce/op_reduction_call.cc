#include "compiler/ops/reduce/op_reduction_call.h"

#include "compiler/relay/op.h"

namespace hone::relay {

bool IsKeptReduction(const Call& call) {
  const OpDef& op = *AsOp(call.op)->def;
  const bool whole = op.traits.folds == Folds::kAxis || op.traits.folds == Folds::kImage;
  if (op.pattern != OpPattern::kReduction || !whole) return false;
  const TypePtr &data = call.args[0]->type, &result = call.type;
  return IsFloatTensor(data) && IsFloatTensor(result) && data->shape.size() == result->shape.size() &&
         data->shape != result->shape;
}

}  // namespace hone::relay
