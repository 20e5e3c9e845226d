#include "compiler/relay/reference.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Tensors = std::vector<Tensor>;
using Observer = std::function<void(const relay::Call&, const Tensors&)>;

// Evaluates one body. Values are dropped after their last use, so the activations of a large network need not fit at
// once.
class Interpreter {
 public:
  explicit Interpreter(const Observer& each) : each_(each) {}

  void Bind(const relay::Expr& expr, Tensors values) { values_[&expr] = std::move(values); }

  Tensors Run(const ExprPtr& body) {
    uses_ = relay::CountUses(body);
    // A rewrite that changes nothing is a walk that does not enter called functions.
    relay::RewritePostOrder(body, [&](const ExprPtr& expr, const ExprPtr&) {
      Evaluate(expr);
      return expr;
    });
    return Use(body);
  }

 private:
  // The value of an expression; it is moved out at its last use.
  Tensors Use(const ExprPtr& expr) {
    const auto it = values_.find(expr.get());
    if (it == values_.end()) throw Error(ExitCode::kBug, "a parameter is used that the function does not declare");
    if (--uses_[expr.get()] > 0) return it->second;
    Tensors last = std::move(it->second);
    values_.erase(it);
    return last;
  }

  Tensors UseAll(const std::vector<ExprPtr>& exprs) {
    Tensors all;
    for (const ExprPtr& expr : exprs) {
      for (Tensor& value : Use(expr)) all.push_back(std::move(value));
    }
    return all;
  }

  void Evaluate(const ExprPtr& expr) {
    if (const auto* constant = relay::AsConstant(expr)) {
      Bind(*expr, {constant->value});
    } else if (const auto* tuple = relay::AsTuple(expr)) {
      Bind(*expr, UseAll(tuple->fields));
    } else if (const auto* item = relay::AsTupleGetItem(expr)) {
      Bind(*expr, {Use(item->tuple).at(static_cast<size_t>(item->index))});
    } else if (const auto* call = relay::AsCall(expr)) {
      Bind(*expr, Result(*call));
    }
  }

  Tensors Result(const relay::Call& call) {
    const Tensors args = UseAll(call.args);
    const relay::Op* op = relay::AsOp(call.op);
    Tensors results = op ? op->def->reference(args, call.attrs) : RunReference(*relay::AsFunction(call.op), args);
    if (each_) each_(call, results);
    return results;
  }

  const Observer& each_;
  std::unordered_map<const relay::Expr*, int> uses_;
  std::unordered_map<const relay::Expr*, Tensors> values_;
};

bool Fits(const Tensor& value, const relay::TypePtr& type) {
  if (type == nullptr) return true;
  if (value.dtype() != type->dtype || value.shape().size() != type->shape.size()) return false;
  for (size_t d = 0; d < type->shape.size(); ++d) {
    if (type->shape[d] != relay::kAnyDim && type->shape[d] != value.shape()[d]) return false;
  }
  return true;
}

const Tensor& ValueOf(const relay::Var& param, const std::map<std::string, Tensor>& inputs,
                      const std::map<std::string, const Tensor*>& bound) {
  const auto input = inputs.find(param.name);
  if (input == inputs.end()) {
    const auto it = bound.find(param.name);
    if (it != bound.end()) return *it->second;
    throw Error(ExitCode::kUsage, fmt::format("input {} is missing; it is {}", param.name, ToText(param.type)));
  }
  if (Fits(input->second, param.type)) return input->second;
  throw Error(ExitCode::kUsage,
              fmt::format("input {} is {} {}, it must be {}", param.name, DTypeName(input->second.dtype()),
                          ShapeText(input->second.shape()), ToText(param.type)));
}

}  // namespace

std::vector<Tensor> RunReference(const relay::IRModule& module, const std::map<std::string, Tensor>& inputs,
                                 const Observer& each) {
  std::map<std::string, const Tensor*> bound;
  for (const auto& [name, value] : module.params) bound[name] = &value;
  const std::map<std::string, Tensor> full = relay::FullInputs(*module.main, inputs);
  Interpreter interpreter(each);
  for (const auto& param : module.main->params) interpreter.Bind(*param, {ValueOf(*param, full, bound)});
  return relay::TrueOutputs(module, interpreter.Run(module.main->body));
}

std::vector<Tensor> RunReference(const relay::Function& function, const std::vector<Tensor>& args) {
  const Observer none;
  Interpreter interpreter(none);
  // The arguments arrive flattened: a tuple parameter takes as many as it has fields.
  size_t next = 0;
  for (const auto& param : function.params) {
    const bool is_tuple = param->type != nullptr && param->type->kind == relay::TypeKind::kTuple;
    Tensors values;
    for (size_t i = 0; i < (is_tuple ? param->type->fields.size() : 1); ++i) values.push_back(args.at(next++));
    interpreter.Bind(*param, std::move(values));
  }
  return interpreter.Run(function.body);
}

}  // namespace hone
