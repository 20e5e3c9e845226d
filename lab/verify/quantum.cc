#include "lab/verify/quantum.h"

#include <algorithm>
#include <cmath>

#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/relay/op.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;

double LargestScale(const Tensor& scales) {
  double largest = 0;
  for (int64_t i = 0; i < scales.elements(); ++i) largest = std::max(largest, std::fabs(scales.At(i)));
  return largest;
}

double ScaleOf(const Call& product) {
  for (const size_t side : {0U, 1U}) {
    const relay::Constant* scale = relay::AsConstant(product.args[side]);
    if (scale != nullptr && WholeRangeOf(product.args[1 - side])) return LargestScale(scale->value);
  }
  return 0;
}

// Follows operators that only move elements back to the product, with a loop as the chain may be long.
double QuantumOf(ExprPtr expr) {
  while (expr->type->kind != relay::TypeKind::kTensor || IsFloat(expr->type->dtype)) {
    const Call* call = relay::AsCall(expr);
    const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr) return 0;
    if (op->def->name == "multiply") return ScaleOf(*call);
    if (!op->def->traits.moves) return 0;
    expr = call->args[0];
  }
  return 1;
}

}  // namespace

std::vector<double> OutputQuanta(const relay::IRModule& typed) {
  const relay::Tuple* tuple = relay::AsTuple(typed.main->body);
  if (tuple == nullptr) return {QuantumOf(typed.main->body)};
  std::vector<double> quanta;
  for (const ExprPtr& field : tuple->fields) quanta.push_back(QuantumOf(field));
  return quanta;
}

}  // namespace hone
