#include "compiler/ops/kernel_whole.h"

#include <algorithm>
#include <stdexcept>

#include "compiler/generic/evaluator.h"
#include "compiler/relay/op.h"

namespace hone {
namespace {

// Null if the body is no call of such an operator.
WholeEmitter EmitterOf(const relay::Function& function) {
  const auto* call = relay::AsCall(function.body);
  const auto* op = call ? relay::AsOp(call->op) : nullptr;
  return op ? FindWholeEmitter(op->def->name) : nullptr;
}

// -1 if it is not a parameter.
int FindParameter(const relay::Function& function, const relay::ExprPtr& arg) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (function.params[i].get() == arg.get()) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

const relay::Call* WholeCallOf(const relay::Function& function) {
  if (EmitterOf(function) == nullptr) return nullptr;
  const relay::Call* call = relay::AsCall(function.body);
  const bool of_parameters = std::all_of(call->args.begin(), call->args.end(),
                                         [&](const auto& arg) { return FindParameter(function, arg) >= 0; });
  return of_parameters ? call : nullptr;
}

int ParameterOf(const relay::Function& function, size_t argument) {
  const int parameter = FindParameter(function, relay::AsCall(function.body)->args.at(argument));
  if (parameter < 0) throw std::out_of_range("an argument that is no parameter");
  return parameter;
}

EmittedKernel EmitWholeCall(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  return EmitterOf(function)(builder, function, symbol);
}

}  // namespace hone
