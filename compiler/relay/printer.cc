#include "compiler/relay/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone::relay {
namespace {

// Prints in the order of arguments: each call, tuple, tuple item and called function that is not the last expression
// takes the next number and a line of its own.
class Printer {
 public:
  explicit Printer(bool types) : types_(types) {}

  // "(%x: Tensor[...]) -> Tensor[...] {", the body indented, "}".
  std::string FunctionText(const Function& function, int indent) {
    std::string head = fmt::format("({}){} {{\n", ParamsText(function), ResultText(function));
    return head + BodyText(function.body, indent + 2) + std::string(static_cast<size_t>(indent), ' ') + "}";
  }

  // The body's lines, the last expression bare.
  std::string BodyText(const ExprPtr& body, int indent) {
    std::string lines;
    const std::string margin(static_cast<size_t>(indent), ' ');
    for (const ExprPtr& expr : Lifted(body)) {
      const std::string text = Text(expr, indent);
      if (expr == body) return lines.append(margin).append(text).append("\n");
      names_[expr.get()] = fmt::format("%{}", next_);
      lines += fmt::format("{}%{} = {};\n", margin, next_++, text);
    }
    return lines + margin + Reference(body) + "\n";
  }

 private:
  static bool TakesNumber(const Expr& expr) {
    return expr.kind == ExprKind::kCall || expr.kind == ExprKind::kTuple || expr.kind == ExprKind::kTupleGetItem ||
           expr.kind == ExprKind::kFunction;
  }

  // A called function comes after the arguments, next to its call.
  static ExprPtr Child(const ExprPtr& expr, size_t i) {
    if (const Call* call = AsCall(expr)) {
      return i < call->args.size() ? call->args[i] : i == call->args.size() ? call->op : nullptr;
    }
    if (const Tuple* tuple = AsTuple(expr)) return i < tuple->fields.size() ? tuple->fields[i] : nullptr;
    if (const TupleGetItem* item = AsTupleGetItem(expr)) return i == 0 ? item->tuple : nullptr;
    return nullptr;
  }

  // What takes a line, in order.
  std::vector<ExprPtr> Lifted(const ExprPtr& body) const {
    std::vector<ExprPtr> order;
    std::set<const Expr*> seen;
    std::vector<std::pair<ExprPtr, size_t>> stack{{body, 0}};
    while (!stack.empty()) {
      auto& [expr, next] = stack.back();
      ExprPtr child = Child(expr, next++);
      if (child == nullptr) {
        if (TakesNumber(*expr)) order.push_back(expr);
        stack.pop_back();
      } else if (names_.count(child.get()) == 0 && TakesNumber(*child) && seen.insert(child.get()).second) {
        stack.emplace_back(std::move(child), 0);
      }
    }
    return order;
  }

  std::string ParamsText(const Function& function) {
    std::string text;
    const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
    for (const auto& param : function.params) {
      const bool typed = param->type != nullptr;
      add(VarName(*param) + (typed ? ": " + ToText(param->type) : ""));
    }
    for (const Attrs& attrs : {function.attrs, function.note ? function.note->Printed() : Attrs()}) {
      for (const auto& [name, value] : attrs.values()) add(fmt::format("{}={}", name, ToText(value)));
    }
    return text;
  }

  std::string ResultText(const Function& function) const {
    return types_ && function.body->type != nullptr ? " -> " + ToText(function.body->type) : "";
  }

  // Two variables of one name, in different functions, get different texts.
  std::string VarName(const Var& var) {
    const auto it = names_.find(&var);
    if (it != names_.end()) return it->second;
    std::string name = "%" + var.name;
    for (int n = 1; !taken_.insert(name).second; ++n) name = fmt::format("%{}{}", var.name, n);
    return names_[&var] = name;
  }

  static std::string ScalarText(const Tensor& value) {
    switch (value.dtype()) {
      case DType::kFloat32:
        return fmt::format("{}f", *value.data<float>());
      case DType::kFloat64:
        return fmt::format("{}f64", value.At(0));
      case DType::kInt32:
        return fmt::format("{}", *value.data<int32_t>());
      case DType::kInt64:
        return fmt::format("{}i64", *value.data<int64_t>());
      case DType::kBool:
        return value.At(0) != 0 ? "True" : "False";
      default:
        return fmt::format("{}{}", value.At(0), DTypeName(value.dtype()));
    }
  }

  std::string ConstantText(const Constant& constant) {
    if (constant.value.shape().empty()) return ScalarText(constant.value) + TypeText(constant);
    const auto index = constants_.emplace(&constant, constants_.size()).first->second;
    return fmt::format("meta[relay.Constant][{}]{}", index, TypeText(constant));
  }

  std::string TypeText(const Expr& expr) const {
    return types_ && expr.type != nullptr ? fmt::format(" /* ty={} */", ToText(expr.type)) : "";
  }

  // An expression where another one uses it.
  std::string Reference(const ExprPtr& expr) {
    if (const Constant* constant = AsConstant(expr)) return ConstantText(*constant);
    if (const Var* var = AsVar(expr)) return VarName(*var);
    if (const Op* op = AsOp(expr)) return op->def->name;
    return names_.at(expr.get());
  }

  std::string References(const std::vector<ExprPtr>& exprs) {
    std::string text;
    for (const ExprPtr& expr : exprs) text += (text.empty() ? "" : ", ") + Reference(expr);
    return text;
  }

  // An expression on its own line.
  std::string Text(const ExprPtr& expr, int indent) {
    if (const Call* call = AsCall(expr)) return CallText(*call);
    if (const TupleGetItem* item = AsTupleGetItem(expr))
      return fmt::format("{}.{}", Reference(item->tuple), item->index);
    if (const Function* function = AsFunction(expr)) return "fn " + FunctionText(*function, indent);
    const Tuple* tuple = AsTuple(expr);
    return fmt::format("({}{})", References(tuple->fields), tuple->fields.size() == 1 ? "," : "");
  }

  std::string CallText(const Call& call) {
    std::string args = References(call.args);
    if (const Op* op = AsOp(call.op)) args += AttrsText(*op->def, call.attrs, args.empty());
    return fmt::format("{}({}){}", Reference(call.op), args, TypeText(call));
  }

  static std::string AttrsText(const OpDef& def, const Attrs& attrs, bool first) {
    std::string text;
    for (const AttrSpec& spec : def.attrs) {
      const AttrValue* given = attrs.Find(spec.name);
      const AttrValue& value = given ? *given : spec.otherwise;
      if (value == spec.otherwise && !spec.always_print) continue;
      text += fmt::format("{}{}={}", first && text.empty() ? "" : ", ", spec.name, ToText(value));
    }
    return text;
  }

  const bool types_;
  int64_t next_ = 0;
  std::unordered_map<const Expr*, std::string> names_;
  std::set<std::string> taken_;
  std::unordered_map<const Constant*, size_t> constants_;
};

}  // namespace

std::string ToText(const IRModule& module, const PrintOptions& options) {
  // Before InferType only parameters and constants have types, and a constant's says nothing that its value does not.
  Printer printer(options.types && module.main->body->type != nullptr);
  if (options.as == "expr") return printer.BodyText(module.main->body, 0);
  if (options.as == "fn") return "fn " + printer.FunctionText(*module.main, 0) + "\n";
  if (options.as == "module") return "def @main" + printer.FunctionText(*module.main, 0) + "\n";
  throw Error(ExitCode::kUsage, fmt::format("a module prints as module, fn or expr, not {}", options.as));
}

}  // namespace hone::relay
