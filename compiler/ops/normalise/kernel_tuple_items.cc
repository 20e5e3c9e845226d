// Fields of operators that return tuples.
#include "compiler/codegen/math/math.h"
#include "compiler/generic/evaluator.h"
#include "core/nth.h"

namespace hone {
namespace {

size_t FieldAxis(const relay::Call& call, int64_t otherwise, size_t rank) {
  const int64_t axis = call.attrs.GetInt("axis", otherwise);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

Value* SplitItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  const size_t axis = FieldAxis(call, 0, at.size());
  int64_t begin = 0;
  for (int i = 0; i < item; ++i) begin += Nth(call.type->fields, i)->shape[axis];
  Coordinates from = at;
  from[axis] = Shifted(e.b(), from[axis], begin);
  return e.Eval(call.args[0], from, lanes);
}

Value* BatchNormItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  if (item > 0) return e.Eval(call.args[static_cast<size_t>(item) + 2], at, lanes);
  const Coordinates channel{at[FieldAxis(call, 1, at.size())]};
  const auto statistic = [&](size_t i) { return e.Eval(call.args[i], channel, lanes); };
  Value* epsilon = b.FloatVec(static_cast<float>(call.attrs.GetFloat("epsilon", 1e-5)), lanes.count);
  Value* deviation = EmitSqrt(b, b.FAdd(statistic(4), epsilon));
  Value* value = b.FDiv(b.FSub(e.Eval(call.args[0], at, lanes), statistic(3)), deviation);
  if (call.attrs.GetBool("scale", true)) value = b.FMul(value, statistic(1));
  return call.attrs.GetBool("center", true) ? b.FAdd(value, statistic(2)) : value;
}

Value* DropoutItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  return item == 0 ? e.Eval(call.args[0], at, lanes) : e.b().FloatVec(1.0f, lanes.count);
}

}  // namespace

std::vector<std::pair<std::string_view, ItemEmitter>> TupleEmitters() {
  return {{"split", SplitItem}, {"nn.batch_norm", BatchNormItem}, {"nn.dropout", DropoutItem}};
}

}  // namespace hone
