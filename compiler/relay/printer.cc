#include "compiler/relay/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/text/lexer.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone::relay {
namespace {

// Whether a variable's name needs no quotes in the text: letters, digits, "_", and a "." before a letter. A leading
// digit would be a line's number, and ".0" an item of a tuple.
bool IsPlainName(std::string_view name) {
  if (name.empty() || !IsLetter(name[0])) return false;
  for (size_t i = 1; i < name.size(); ++i) {
    const bool joins = name[i] == '.' && i + 1 < name.size() && IsLetter(name[i + 1]);
    if (!IsLetter(name[i]) && !IsDigit(name[i]) && !joins) return false;
  }
  return true;
}

std::string LocalText(const std::string& name) { return "%" + (IsPlainName(name) ? name : ToText(AttrValue(name))); }

std::string SymbolOf(const Function& function) { return function.attrs.GetString(kGlobalSymbol); }

// Prints in the order of arguments. Each call, tuple, tuple item and called function that is not the last expression
// takes the next number and its own line. An undeclared variable takes a line before its first use.
class Printer {
 public:
  explicit Printer(bool types) : types_(types) {}

  // "def @f(...) {...}" of each function with a symbol that is called from `main`, callees first, then main's.
  std::string ModuleText(const FunctionPtr& main) {
    std::string text;
    std::set<std::string> printed;
    PostOrderVisit(main, [&](const ExprPtr& expr) {
      const Function* function = AsFunction(expr);
      const std::string symbol = function == nullptr || expr == main ? "" : SymbolOf(*function);
      if (!symbol.empty() && printed.insert(symbol).second) text += DefinitionText(symbol, *function);
    });
    return text + DefinitionText("main", *main);
  }

  // "(%x: Tensor[...]) -> Tensor[...] {", the body indented, "}".
  std::string FunctionText(const Function& function, int indent) {
    std::string head = fmt::format("({}){} {{\n", ParamsText(function), ResultText(function));
    return head + BodyText(function.body, indent + 2) + std::string(static_cast<size_t>(indent), ' ') + "}";
  }

  // The body's lines, with the last expression bare.
  std::string BodyText(const ExprPtr& body, int indent) {
    std::string lines;
    const std::string margin(static_cast<size_t>(indent), ' ');
    for (const ExprPtr& expr : Lifted(body)) {
      if (const Var* var = AsVar(expr)) {
        if (names_.count(var) == 0)
          lines.append(margin).append("free_var ").append(DeclarationText(*var)).append(";\n");
        continue;
      }
      const std::string text = Text(expr, indent);
      if (expr == body) return lines.append(margin).append(text).append("\n");
      names_[expr.get()] = fmt::format("%{}", next_);
      lines += fmt::format("{}%{} = {};\n", margin, next_++, text);
    }
    return lines + margin + Reference(body) + "\n";
  }

  // The constants that were printed, by their names in the text.
  std::map<std::string, Tensor> Constants() const {
    std::map<std::string, Tensor> values;
    for (const auto& [constant, index] : constants_) values.emplace(ConstantName(index), constant->value);
    return values;
  }

 private:
  static std::string ConstantName(size_t index) { return fmt::format("meta[relay.Constant][{}]", index); }

  std::string DefinitionText(const std::string& symbol, const Function& function) {
    return fmt::format("def @{}{}\n", symbol, FunctionText(function, 0));
  }

  static bool TakesLine(const Expr& expr) {
    return expr.kind == ExprKind::kCall || expr.kind == ExprKind::kTuple || expr.kind == ExprKind::kTupleGetItem ||
           expr.kind == ExprKind::kVar ||
           (expr.kind == ExprKind::kFunction && SymbolOf(static_cast<const Function&>(expr)).empty());
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

  // The expressions that take a line, in order.
  std::vector<ExprPtr> Lifted(const ExprPtr& body) const {
    std::vector<ExprPtr> order;
    std::set<const Expr*> seen;
    std::vector<std::pair<ExprPtr, size_t>> stack{{body, 0}};
    while (!stack.empty()) {
      auto& [expr, next] = stack.back();
      ExprPtr child = Child(expr, next++);
      if (child == nullptr) {
        if (TakesLine(*expr)) order.push_back(expr);
        stack.pop_back();
      } else if (names_.count(child.get()) == 0 && TakesLine(*child) && seen.insert(child.get()).second) {
        stack.emplace_back(std::move(child), 0);
      }
    }
    return order;
  }

  std::string ParamsText(const Function& function) {
    std::string text;
    const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
    for (const auto& param : function.params) add(DeclarationText(*param));
    for (const Attrs& attrs : {function.attrs, function.note ? function.note->Printed() : Attrs()}) {
      for (const auto& [name, value] : attrs.values()) {
        if (name != kGlobalSymbol) add(fmt::format("{}={}", name, ToText(value)));
      }
    }
    return text;
  }

  std::string DeclarationText(const Var& var) {
    return VarName(var) + (var.type != nullptr ? ": " + ToText(var.type) : "");
  }

  std::string ResultText(const Function& function) const {
    return types_ && function.body->type != nullptr ? " -> " + ToText(function.body->type) : "";
  }

  // Two variables with the same name, in different functions, get different texts.
  std::string VarName(const Var& var) {
    const auto it = names_.find(&var);
    if (it != names_.end()) return it->second;
    std::string name = LocalText(var.name);
    for (int& n = suffixes_[var.name]; !taken_.insert(name).second;) {
      name = LocalText(fmt::format("{}{}", var.name, ++n));
    }
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
    return ConstantName(index) + TypeText(constant);
  }

  std::string TypeText(const Expr& expr) const {
    return types_ && expr.type != nullptr ? fmt::format(" /* ty={} */", ToText(expr.type)) : "";
  }

  // The text of an expression where another one uses it.
  std::string Reference(const ExprPtr& expr) {
    if (const Constant* constant = AsConstant(expr)) return ConstantText(*constant);
    if (const Var* var = AsVar(expr)) return VarName(*var);
    if (const Op* op = AsOp(expr)) return op->def->name;
    if (const Function* function = AsFunction(expr)) {
      const std::string symbol = SymbolOf(*function);
      if (!symbol.empty()) return "@" + symbol;
    }
    return names_.at(expr.get());
  }

  std::string References(const std::vector<ExprPtr>& exprs) {
    std::string text;
    for (const ExprPtr& expr : exprs) text += (text.empty() ? "" : ", ") + Reference(expr);
    return text;
  }

  // The text of an expression on its own line.
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
  std::unordered_map<std::string, int> suffixes_;  // the last suffix tried for each name
  std::unordered_map<const Constant*, size_t> constants_;
};

}  // namespace

std::string ToText(const IRModule& module, const PrintOptions& options) {
  // Before InferType only parameters and constants have types, and a constant's type adds nothing to its value.
  Printer printer(options.types && module.main->body->type != nullptr);
  if (options.as == "expr") return printer.BodyText(module.main->body, 0);
  if (options.as == "fn") return "fn " + printer.FunctionText(*module.main, 0) + "\n";
  if (options.as == "module") return printer.ModuleText(module.main);
  throw Error(ExitCode::kUsage, fmt::format("a module prints as module, fn or expr, not {}", options.as));
}

std::map<std::string, Tensor> NamedValues(const IRModule& module) {
  Printer printer(false);
  printer.ModuleText(module.main);
  std::map<std::string, Tensor> values = printer.Constants();
  for (const auto& [name, value] : module.params) {
    if (!values.emplace(name, value).second) {
      throw Error(ExitCode::kUsage, fmt::format("a parameter is called {}, as a constant of the text is", name));
    }
  }
  return values;
}

}  // namespace hone::relay
