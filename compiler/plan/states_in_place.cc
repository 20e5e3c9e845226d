#include "compiler/plan/states_in_place.h"

#include <unordered_map>

#include "compiler/ops/kernel_whole.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::Call;
using relay::Expr;
using relay::ExprPtr;
using relay::Function;

// The append that the call's function is; null for any other, and for one that writes zeros behind its rows.
const Call* AppendOf(const Call& call) {
  const Function* function = relay::AsFunction(call.op);
  const Call* append = function == nullptr ? nullptr : relay::AsCallTo(function->body, "append_rows");
  return append == nullptr || append->attrs.GetBool("ends") ? nullptr : WholeCallOf(*function);
}

// The number of times that each expression is an argument, a field or an item.
std::unordered_map<const Expr*, int> ReadersOf(const std::vector<ExprPtr>& order) {
  std::unordered_map<const Expr*, int> readers;
  for (const ExprPtr& expr : order) {
    if (const Call* call = relay::AsCall(expr)) {
      for (const ExprPtr& arg : call->args) ++readers[arg.get()];
    } else if (const relay::Tuple* tuple = relay::AsTuple(expr)) {
      for (const ExprPtr& field : tuple->fields) ++readers[field.get()];
    } else if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
      ++readers[item->tuple.get()];
    }
  }
  return readers;
}

}  // namespace

std::set<const Expr*> StatesInPlace(const relay::IRModule& module, const std::vector<ExprPtr>& order,
                                    const std::vector<relay::StateValue>& states) {
  std::set<const Expr*> in_place;
  if (states.empty()) return in_place;
  std::unordered_map<const Expr*, int> readers = ReadersOf(order);
  const relay::Tuple* tuple = relay::AsTuple(module.main->body);
  for (const relay::StateValue& state : states) {
    // A result that is several, as of a tuple of tuples, is no append.
    const bool is_field = tuple != nullptr && state.output < static_cast<int64_t>(tuple->fields.size());
    const ExprPtr result = tuple == nullptr ? module.main->body : is_field ? Nth(tuple->fields, state.output) : nullptr;
    const Call* call = result == nullptr ? nullptr : relay::AsCall(result);
    if (call == nullptr || AppendOf(*call) == nullptr) continue;
    const ExprPtr param = Nth(module.main->params, state.input);
    const bool appends = call->args[StateArgument(*relay::AsFunction(call->op))] == param;
    if (appends && readers[param.get()] == 1 && call->type->shape == param->type->shape) in_place.insert(call);
  }
  return in_place;
}

size_t StateArgument(const Function& function) { return static_cast<size_t>(ParameterOf(function, 0)); }

relay::FunctionPtr WritingInPlace(const Function& function) {
  const Call& append = *relay::AsCall(function.body);
  relay::Attrs attrs = append.attrs;
  attrs.Set("in_place", true);
  return TypedLike(function, function.params, TypedCall("append_rows", append.args, attrs, append.name));
}

}  // namespace hone
