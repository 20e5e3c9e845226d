#include "compiler/relay/text/module_text.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/text/function_parser.h"
#include "core/text/spelling.h"

namespace hone::relay {

void ModuleText::Define(const Token& name, const TokenReader& reader) {
  if (!definitions_.emplace(name.value, Definition{reader, nullptr, false}).second) {
    reader.Fail(name.at, fmt::format("{} is defined twice", name.text));
  }
}

FunctionPtr ModuleText::Global(const Token& name, const TokenReader& from, int depth) {
  const auto it = definitions_.find(name.value);
  if (it == definitions_.end()) {
    std::vector<std::string> names;
    for (const auto& [defined, _] : definitions_) names.push_back("@" + defined);
    from.Fail(name.at, fmt::format("there is no function {}{}", name.text, DidYouMean(name.text, names)));
  }
  Definition& definition = it->second;
  if (definition.function != nullptr) return definition.function;
  if (definition.reading) from.Fail(name.at, fmt::format("{} calls itself, which no graph can hold", name.text));
  definition.reading = true;
  // No function calls @main, and its name is no attribute.
  const std::string symbol = name.value == "main" ? "" : name.value;
  definition.function = FunctionParser(definition.reader, *this, depth).Function(symbol);
  return definition.function;
}

void ModuleText::ReadAll() {
  for (const auto& [name, definition] : definitions_) {
    Global({TokenKind::kGlobal, "@" + name, name, "", definition.reader.next().at}, definition.reader, 0);
  }
}

ExprPtr ModuleText::ConstantOf(const std::string& name, const TextPosition& at, const TokenReader& from) {
  ExprPtr& constant = constants_[name];
  if (constant != nullptr) return constant;
  const auto value = values_.find(name);
  if (value == values_.end()) {
    from.Fail(at, fmt::format("{} has no value; --params FILE.safetensors gives values", name));
  }
  return constant = MakeConstant(value->second, name);
}

void ModuleText::Declare(const ExprPtr& expr, const TypePtr& type, const TextPosition& at, const TokenReader& from) {
  kept_.push_back(expr);
  const auto [it, is_new] = declared_.emplace(expr.get(), type);
  if (!is_new && !Equal(it->second, type)) {
    from.Fail(at, fmt::format("declared {}, and {} elsewhere", ToText(type), ToText(it->second)));
  }
}

Annotations ModuleText::annotations() const {
  const auto where = [places = places_, source = source_](const Expr& expr) {
    const auto it = places->find(&expr);
    const TextPosition at = it == places->end() ? TextPosition{} : it->second;
    const auto* call = expr.kind == ExprKind::kCall ? static_cast<const Call*>(&expr) : nullptr;
    const Op* op = call ? AsOp(call->op) : nullptr;
    const std::string what = op ? op->def->name : call ? "a call" : std::string(ExprKindName(expr.kind));
    return fmt::format("{}:{}:{}: {}", source, at.line, at.column, what);
  };
  return {declared_, where};
}

}  // namespace hone::relay
