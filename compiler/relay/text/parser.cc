#include "compiler/relay/text/parser.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "compiler/relay/text/function_parser.h"
#include "compiler/relay/text/module_text.h"
#include "core/error.h"

namespace hone::relay {
namespace {

// `#[version = "0.0.5"]`, which Relay writes before a module. The number adds nothing to the text.
void SkipVersion(TokenReader& reader) {
  if (!reader.Accept("#")) return;
  reader.Expect("[", "a version's");
  reader.Expect("version", "after #[");
  reader.Expect("=", "after version");
  reader.Expect(TokenKind::kString, "a version in quotes");
  reader.Expect("]", "a version's");
}

// Skips from a definition's parenthesis to after its closing brace.
void SkipDefinition(TokenReader& reader) {
  int64_t open = 0;
  do {
    if (reader.next().kind == TokenKind::kEnd) reader.FailAtNext("the text ends within a function");
    const Token word = reader.Take();
    if (word.Is("{")) ++open;
    if (word.Is("}") && --open <= 0) return;
  } while (!(open == 0 && reader.next().Is("def")));
}

FunctionPtr ReadDefinitions(TokenReader reader, ModuleText& module) {
  while (reader.next().kind != TokenKind::kEnd) {
    reader.Expect("def", "before a function's name");
    const Token name = reader.Expect(TokenKind::kGlobal, "a function's name, such as @main,");
    module.Define(name, reader);
    SkipDefinition(reader);
  }
  module.ReadAll();
  return module.Global({TokenKind::kGlobal, "@main", "main", "", reader.next().at}, reader, 0);
}

FunctionPtr ReadOne(TokenReader reader, ModuleText& module) {
  const bool is_function = reader.Accept("fn");
  FunctionParser parser(std::move(reader), module, 0);
  FunctionPtr function = is_function ? parser.Function("") : parser.Expression();
  if (parser.reader().next().kind != TokenKind::kEnd) {
    parser.reader().FailAtNext(fmt::format("\"{}\" stands behind the end of what is read", parser.reader().Shown()));
  }
  return function;
}

bool Fits(const Tensor& value, const Type& type) {
  return type.kind == TypeKind::kTensor && type.dtype == value.dtype() && type.shape == value.shape();
}

void BindValues(IRModule& module, const ModuleText& text) {
  for (const auto& param : module.main->params) {
    const auto value = text.values().find(param->name);
    if (value == text.values().end()) continue;
    if (param->type != nullptr && !Fits(value->second, *param->type)) {
      const TypePtr given = TensorType(value->second.shape(), value->second.dtype());
      throw Error(ExitCode::kBadData,
                  fmt::format("{} {} is declared {}, and the value that is given for it is {}",
                              text.annotations().where(*param), param->name, ToText(param->type), ToText(given)));
    }
    module.params.emplace_back(param->name, value->second);
  }
}

std::vector<std::string> UnusedValues(const IRModule& module, const ModuleText& text) {
  std::set<std::string_view> bound;
  for (const auto& [name, value] : module.params) bound.insert(name);
  std::vector<std::string> unused;
  for (const auto& [name, value] : text.values()) {
    if (bound.count(name) == 0 && !text.HasConstant(name)) unused.push_back(name);
  }
  return unused;
}

}  // namespace

ParsedModule ParseModule(std::string_view text, std::string_view source, const std::map<std::string, Tensor>& values) {
  ModuleText module(source, values);
  TokenReader reader(Lexer(text, source));
  SkipVersion(reader);
  ParsedModule parsed;
  parsed.module.main =
      reader.next().Is("def") ? ReadDefinitions(std::move(reader), module) : ReadOne(std::move(reader), module);
  parsed.module.name = source;
  BindValues(parsed.module, module);
  parsed.annotations = module.annotations();
  parsed.unused = UnusedValues(parsed.module, module);
  return parsed;
}

IRModule InferParsed(const ParsedModule& parsed) {
  const Annotations& said = parsed.annotations;
  try {
    return InferType(parsed.module, said);
  } catch (const Error& error) {
    // An error about no call, such as a parameter whose type is unknown, is reported for main.
    const std::string place = parsed.module.name + ":";
    if (std::string_view(error.what()).starts_with(place)) throw;
    throw Error(error.code(), fmt::format("{}: {}", said.where(*parsed.module.main->body), error.what()));
  }
}

}  // namespace hone::relay
