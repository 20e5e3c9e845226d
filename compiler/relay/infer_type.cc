#include "compiler/relay/infer_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

FunctionPtr InferFunction(const FunctionPtr& function, const std::vector<TypePtr>& given, const Annotations& said);

// Limits for tuples in tuples, which a text can nest and multiply without end. A tuple of tensors may have any number.
constexpr int64_t kMostNested = 65'536;
constexpr int kDeepestTuple = 128;

// `nested` is the number of fields of nested tuples so far, `depth` the number of enclosing tuples.
void CheckSize(const TypePtr& type, int64_t& nested, int depth) {
  if ((depth > 1 && ++nested > kMostNested) || depth > kDeepestTuple) {
    throw Error(ExitCode::kBadData, fmt::format("a tuple holds tuples of more than {} fields, or {} levels of them",
                                                kMostNested, kDeepestTuple));
  }
  if (type->kind == TypeKind::kTuple) {
    for (const TypePtr& field : type->fields) CheckSize(field, nested, depth + 1);
  } else if (type->kind == TypeKind::kTensor) {
    Shape known = type->shape;
    std::replace(known.begin(), known.end(), kAnyDim, int64_t{1});
    ElementCount(known);  // throws on a negative dim and on overflow
  }
}

void CheckSize(const TypePtr& type) {
  int64_t nested = 0;
  CheckSize(type, nested, 0);
}

bool DimsAgree(const Type& a, const Type& b) {
  return std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(),
                    [](int64_t x, int64_t y) { return x == y || x == kAnyDim || y == kAnyDim; });
}

// Whether an argument may be passed to a parameter: their types are equal except for unknown dims.
bool Passes(const TypePtr& argument, const TypePtr& parameter) {
  if (argument->kind != TypeKind::kTensor || parameter->kind != TypeKind::kTensor) return Equal(argument, parameter);
  return argument->dtype == parameter->dtype && argument->layout == parameter->layout &&
         DimsAgree(*argument, *parameter);
}

// Types one function's body, in post order. A called function is typed at its call, because its parameters may take
// their types from the arguments.
class Inference {
 public:
  Inference(const FunctionPtr& function, const std::vector<TypePtr>& given, const Annotations& said)
      : function_(function), given_(given), said_(said) {}

  FunctionPtr Run() {
    for (size_t i = 0; i < function_->params.size(); ++i) DeclareParam(i);
    // The walk must not enter called functions, so the body is rewritten twice. The first time finds every type, which
    // may give a parameter its type after it was visited. The second time sets them.
    RewritePostOrder(function_->body, [&](const ExprPtr& old, const ExprPtr&) {
      FindType(old);
      return old;
    });
    return Typed();
  }

 private:
  void DeclareParam(size_t i) {
    const Var& param = *function_->params[i];
    const TypePtr type = param.type ? param.type : i < given_.size() ? given_[i] : nullptr;
    if (type != nullptr) SetType(param, type);
  }

  void SetType(const Expr& expr, const TypePtr& type) {
    CheckSize(type);
    const auto declared = said_.types.find(&expr);
    if (declared != said_.types.end() && !Passes(type, declared->second)) {
      throw Error(ExitCode::kBadData,
                  fmt::format("{} is declared {}, it is {}", Place(expr), ToText(declared->second), ToText(type)));
    }
    types_[&expr] = type;
  }

  // The type; an error gets the place in the text, if that is known.
  TypePtr Placed(const Expr& expr, const std::function<TypePtr()>& type) const {
    try {
      return type();
    } catch (const Error& error) {
      if (!said_.where) throw;
      throw Error(error.code(), fmt::format("{}: {}", said_.where(expr), error.what()));
    }
  }

  std::string Place(const Expr& expr) const {
    return said_.where ? said_.where(expr) : std::string(ExprKindName(expr.kind));
  }

  TypePtr TypeOf(const ExprPtr& expr) const {
    const auto it = types_.find(expr.get());
    return it == types_.end() ? nullptr : it->second;
  }

  // A type that must be known by now.
  TypePtr KnownType(const ExprPtr& expr) const {
    const TypePtr type = TypeOf(expr);
    if (type != nullptr) return type;
    const Var* var = AsVar(expr);
    throw Error(ExitCode::kBadData,
                var ? fmt::format("parameter {} has no type and none follows from its use", var->name)
                    : "an expression has no type");
  }

  void FindType(const ExprPtr& expr) {
    switch (expr->kind) {
      case ExprKind::kVar:
        if (TypeOf(expr) == nullptr && expr->type != nullptr) SetType(*expr, expr->type);
        break;
      case ExprKind::kConstant:
        SetType(*expr, expr->type);
        break;
      case ExprKind::kCall:
        FindCallType(*AsCall(expr));
        break;
      case ExprKind::kTuple:
        SetType(*expr, Placed(*expr, [&] { return TupleType(KnownTypes(AsTuple(expr)->fields)); }));
        break;
      case ExprKind::kTupleGetItem:
        SetType(*expr, Placed(*expr, [&] { return ItemType(*AsTupleGetItem(expr)); }));
        break;
      default:
        break;  // an operator has no type of its own; a function gets it from its call
    }
  }

  std::vector<TypePtr> KnownTypes(const std::vector<ExprPtr>& exprs) const {
    std::vector<TypePtr> types;
    types.reserve(exprs.size());
    for (const ExprPtr& expr : exprs) types.push_back(KnownType(expr));
    return types;
  }

  TypePtr ItemType(const TupleGetItem& item) const {
    const TypePtr tuple = KnownType(item.tuple);
    const bool fits =
        tuple->kind == TypeKind::kTuple && item.index >= 0 && static_cast<size_t>(item.index) < tuple->fields.size();
    if (!fits) throw Error(ExitCode::kBadData, fmt::format("there is no item {} in {}", item.index, ToText(tuple)));
    return Nth(tuple->fields, item.index);
  }

  void FindCallType(const Call& call) {
    ++calls_;
    SetType(call, ResultOf(call));
  }

  TypePtr ResultOf(const Call& call) {
    try {
      const TypePtr type = AsOp(call.op) ? ResultOfOp(call) : ResultOfFunction(call);
      CheckSize(type);
      return type;
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", NodeText(call), error.what()));
    }
  }

  std::string NodeText(const Call& call) const {
    if (said_.where) return said_.where(call);
    const std::string op = AsOp(call.op) ? AsOp(call.op)->def->name : "a function";
    return call.name.empty() ? fmt::format("node {} (call {})", op, calls_)
                             : fmt::format("node '{}' ({})", call.name, op);
  }

  TypePtr ResultOfOp(const Call& call) {
    const OpDef& def = *AsOp(call.op)->def;
    std::vector<TypePtr> args;
    args.reserve(call.args.size());
    for (const ExprPtr& arg : call.args) args.push_back(TypeOf(arg));
    if (def.fill_types != nullptr) def.fill_types(args, call.attrs);
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i] != nullptr && TypeOf(call.args[i]) == nullptr) SetType(*call.args[i], args[i]);
    }
    return CallType(def, KnownTypes(call.args), call.attrs);
  }

  TypePtr ResultOfFunction(const Call& call) {
    const auto callee = std::static_pointer_cast<const Function>(call.op);
    const std::vector<TypePtr> args = KnownTypes(call.args);
    FunctionPtr& typed = functions_[callee.get()];
    if (typed == nullptr) typed = InferFunction(callee, args, said_);
    const std::vector<TypePtr>& params = typed->type->params;
    if (!std::equal(args.begin(), args.end(), params.begin(), params.end(), Passes)) {
      throw Error(ExitCode::kBadData, fmt::format("the arguments do not fit {}", ToText(typed->type)));
    }
    return typed->type->result;
  }

  FunctionPtr Typed() {
    const auto set = [&](const ExprPtr& old, const ExprPtr& rebuilt) { return WithType(old, rebuilt); };
    const ExprPtr whole = RewritePostOrder(function_, set);
    return std::static_pointer_cast<const Function>(whole);
  }

  ExprPtr WithType(const ExprPtr& old, const ExprPtr& rebuilt) {
    if (old->kind == ExprKind::kFunction) {
      return old == function_ ? TypedFunction(*AsFunction(rebuilt)) : functions_.at(AsFunction(old));
    }
    if (old->kind == ExprKind::kOp || old->kind == ExprKind::kConstant) return rebuilt;
    const TypePtr type = KnownType(old);
    return Equal(rebuilt->type, type) ? rebuilt : Copy(rebuilt, type);
  }

  static ExprPtr Copy(const ExprPtr& expr, const TypePtr& type) {
    std::shared_ptr<Expr> copy;
    if (const Call* call = AsCall(expr)) {
      copy = std::make_shared<Call>(call->op, call->args, call->attrs, call->name);
    } else if (const Tuple* tuple = AsTuple(expr)) {
      copy = std::make_shared<Tuple>(tuple->fields);
    } else if (const TupleGetItem* item = AsTupleGetItem(expr)) {
      copy = std::make_shared<TupleGetItem>(item->tuple, item->index);
    } else {
      copy = std::make_shared<Var>(AsVar(expr)->name);
    }
    copy->type = type;
    return copy;
  }

  static ExprPtr TypedFunction(const Function& function) {
    std::vector<TypePtr> params;
    params.reserve(function.params.size());
    for (const auto& param : function.params) params.push_back(param->type);
    auto copy = WithFields(function, function.params, function.body);
    copy->type = FuncType(std::move(params), function.body->type);
    return copy;
  }

  const FunctionPtr function_;
  const std::vector<TypePtr>& given_;
  const Annotations& said_;
  std::unordered_map<const Expr*, TypePtr> types_;
  std::unordered_map<const Function*, FunctionPtr> functions_;
  int64_t calls_ = 0;
};

FunctionPtr InferFunction(const FunctionPtr& function, const std::vector<TypePtr>& given, const Annotations& said) {
  return Inference(function, given, said).Run();
}

}  // namespace

FunctionPtr InferType(const FunctionPtr& function) { return InferFunction(function, {}, {}); }

IRModule InferType(const IRModule& module) { return InferType(module, {}); }

IRModule InferType(const IRModule& module, const Annotations& annotations) {
  std::unordered_map<std::string, TypePtr> bound;
  for (const auto& [name, value] : module.params) bound[name] = TensorType(value.shape(), value.dtype());
  std::vector<TypePtr> given;
  for (const auto& param : module.main->params) given.push_back(bound[param->name]);
  IRModule typed = module;
  typed.main = InferFunction(module.main, given, annotations);
  return typed;
}

}  // namespace hone::relay
