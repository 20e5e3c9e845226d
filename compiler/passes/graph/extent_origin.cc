#include "compiler/passes/graph/extent_origin.h"

#include <algorithm>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::Function;

namespace {

bool IsScalarInteger(const ExprPtr& expr) {
  return expr->type != nullptr && expr->type->kind == relay::TypeKind::kTensor && expr->type->dtype == DType::kInt64 &&
         ElementCount(expr->type->shape) == 1;
}

// The argument of a parameter; any other expression itself.
ExprPtr ArgumentOf(const ExprPtr& expr, const Arguments* arguments) {
  if (arguments == nullptr) return expr;
  const auto argument = arguments->find(expr.get());
  return argument == arguments->end() ? expr : argument->second;
}

// The axis along which a constant counts 0, 1, 2, ... while it has one position along all others; -1 if it does not.
int64_t CountingAxis(const ExprPtr& expr, const Arguments* arguments) {
  const relay::Constant* constant = relay::AsConstant(ArgumentOf(expr, arguments));
  if (constant == nullptr || constant->value.dtype() != DType::kInt64) return -1;
  const Shape& shape = constant->value.shape();
  int64_t axis = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (axis >= 0) return -1;
    axis = static_cast<int64_t>(d);
  }
  for (int64_t i = 0; i < constant->value.elements(); ++i) {
    if (constant->value.data<int64_t>()[i] != i) return -1;
  }
  return axis;
}

// The expression that a chain of casts and repetitions begins with.
const ExprPtr& BehindRepetitions(const ExprPtr& value) {
  const ExprPtr* at = &value;
  for (const Call* call = relay::AsCall(*at); call != nullptr && relay::AsOp(call->op) != nullptr;
       call = relay::AsCall(*at)) {
    const std::string_view op = OpName(*call);
    if (op != "cast" && op != "broadcast_to" && !KeepsElements(op)) break;
    at = &call->args[0];
  }
  return *at;
}

}  // namespace

std::string_view OpName(const Call& call) { return relay::AsOp(call.op)->def->name; }

const Function* FunctionOf(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  return call == nullptr ? nullptr : relay::AsFunction(call->op);
}

Arguments ArgumentsOf(const Call& call, const Function& function) {
  Arguments arguments;
  for (size_t i = 0; i < function.params.size(); ++i) arguments.emplace(function.params[i].get(), call.args.at(i));
  return arguments;
}

bool KeepsElements(std::string_view op) {
  return op == "reshape" || op == "squeeze" || op == "expand_dims" || op == "nn.batch_flatten";
}

ExprPtr OriginOf(ExprPtr scalar, const Arguments* arguments) {
  for (;;) {
    if (arguments != nullptr) {
      if (const auto argument = arguments->find(scalar.get()); argument != arguments->end()) {
        scalar = argument->second;
        arguments = nullptr;
        continue;
      }
      const Call* call = relay::AsCall(scalar);
      if (call == nullptr || relay::AsOp(call->op) == nullptr || !KeepsElements(OpName(*call))) return nullptr;
      scalar = call->args[0];
      continue;
    }
    const Function* function = FunctionOf(scalar);
    const Call* body = function == nullptr ? nullptr : relay::AsCall(function->body);
    const bool is_view = body != nullptr && function->params.size() == 1 && relay::AsOp(body->op) != nullptr &&
                         KeepsElements(OpName(*body)) && body->args[0] == function->params[0];
    if (!is_view) return scalar;
    scalar = relay::AsCall(scalar)->args[0];
  }
}

ExprPtr RepeatedOrigin(ExprPtr value, const Arguments* arguments) {
  if (arguments != nullptr) {
    const auto argument = arguments->find(BehindRepetitions(value).get());
    if (argument == arguments->end()) return nullptr;
    value = argument->second;
  }
  while (!IsScalarInteger(value)) {
    const Function* function = FunctionOf(value);
    if (function == nullptr) return nullptr;
    const ExprPtr& inner = BehindRepetitions(function->body);
    const auto param = std::find(function->params.begin(), function->params.end(), inner);
    if (param == function->params.end()) return nullptr;
    value = relay::AsCall(value)->args.at(static_cast<size_t>(param - function->params.begin()));
  }
  return OriginOf(value, nullptr);
}

NeededAxes MaskOf(const ExprPtr& condition, const Arguments* arguments) {
  NeededAxes mask(condition->type->shape.size());
  if (arguments != nullptr) {
    if (const auto argument = arguments->find(condition.get()); argument != arguments->end()) {
      return MaskOf(argument->second, nullptr);
    }
  } else if (const Function* function = FunctionOf(condition)) {
    const Arguments inner = ArgumentsOf(*relay::AsCall(condition), *function);
    return MaskOf(function->body, &inner);
  }
  const Call* call = relay::AsCall(condition);
  if (call == nullptr || relay::AsOp(call->op) == nullptr) return mask;
  if (OpName(*call) == "logical_and") {
    for (const ExprPtr& side : call->args) {
      const NeededAxes part = MaskOf(side, arguments);
      const size_t lead = mask.size() - part.size();
      for (size_t d = 0; d < part.size(); ++d) {
        if (part[d] && side->type->shape[d] == condition->type->shape[lead + d]) mask[lead + d] = part[d];
      }
    }
  }
  if (OpName(*call) != "less" || !IsScalarInteger(call->args[1])) return mask;
  const int64_t axis = CountingAxis(call->args[0], arguments);
  const ExprPtr extent = axis < 0 ? nullptr : OriginOf(call->args[1], arguments);
  if (extent == nullptr) return mask;
  const size_t lead = mask.size() - call->args[0]->type->shape.size();
  Nth(mask, static_cast<int64_t>(lead) + axis) = NeededPositions{extent};
  return mask;
}

}  // namespace hone
