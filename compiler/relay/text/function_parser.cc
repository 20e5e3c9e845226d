#include "compiler/relay/text/function_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/relay/op.h"
#include "compiler/relay/text/type_parser.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"

namespace hone::relay {
namespace {

// Keeps "data", "input:0" and 12 apart: %12 and %"12" are two names.
std::string ScopeName(const Token& name) { return (name.kind == TokenKind::kLine ? "#" : "") + name.value; }

std::string AttrNames(const OpDef& def) {
  std::string names;
  for (const AttrSpec& spec : def.attrs) names += (names.empty() ? "" : ", ") + spec.name;
  return names.empty() ? "it has none" : "it has " + names;
}

const OpDef& OperatorOf(const Token& name, const TokenReader& reader) {
  if (const OpDef* def = FindOp(name.value)) return *def;
  std::vector<std::string> names;
  for (const OpDef* def : AllOps()) names.push_back(def->name);
  reader.Fail(name.at, fmt::format("there is no operator {}{}", name.text, DidYouMean(name.text, names)));
}

void RequireAttr(const OpDef& def, const Token& name, const Attrs& given, const TokenReader& reader) {
  const auto is_it = [&](const AttrSpec& spec) { return spec.name == name.value; };
  if (std::none_of(def.attrs.begin(), def.attrs.end(), is_it)) {
    reader.Fail(name.at, fmt::format("{} has no attribute {}; {}", def.name, name.text, AttrNames(def)));
  }
  if (given.Find(name.value)) reader.Fail(name.at, fmt::format("{} is given twice", name.text));
}

}  // namespace

FunctionPtr FunctionParser::Function(const std::string& symbol) {
  if (++depth_ > kDeepest) reader_.FailAtNext(fmt::format("the text nests more than {} deep", kDeepest));
  scope_.EnterFunction();
  const int64_t around = std::exchange(nodes_, 0);
  Vars params;
  Attrs attrs;
  if (!symbol.empty()) attrs.Set(kGlobalSymbol, symbol);
  Params(params, attrs);
  const TextPosition at = reader_.next().at;
  const TypePtr result = reader_.Accept("->") ? ParseType(reader_) : nullptr;
  reader_.Expect("{", "a function's body after");
  ExprPtr body = Body(nullptr);
  reader_.Expect("}", "a function's");
  if (result != nullptr) module_.Declare(body, result, at, reader_);
  FunctionPtr function = Counted(std::move(params), std::move(body), std::move(attrs));
  nodes_ = around;
  scope_.Leave();
  --depth_;
  return function;
}

FunctionPtr FunctionParser::Expression() {
  scope_.EnterFunction();
  Vars free;
  ExprPtr body = Body(&free);
  reader_.Accept(";");
  scope_.Leave();
  return Counted(std::move(free), std::move(body), {});
}

FunctionPtr FunctionParser::Counted(Vars params, ExprPtr body, Attrs attrs) {
  auto function = std::make_shared<const relay::Function>(std::move(params), std::move(body), std::move(attrs));
  module_.SetSize(*function, nodes_);
  return function;
}

ExprPtr FunctionParser::Counted(ExprPtr expr, const TextPosition& at, int64_t nodes) {
  nodes_ += nodes;
  if (nodes_ > ModuleText::kMostNodes) {
    reader_.Fail(
        at, fmt::format("with what it calls, the function holds more than {} expressions", ModuleText::kMostNodes));
  }
  module_.Place(*expr, at);
  return expr;
}

void FunctionParser::Params(Vars& params, Attrs& attrs) {
  reader_.Expect("(", "a function's parameters after");
  while (!reader_.Accept(")")) {
    if (reader_.next().kind == TokenKind::kLocal) {
      params.push_back(Declaration());
    } else {
      const Token name = reader_.Expect(TokenKind::kName, "a parameter, such as %x,");
      if (name.value == kGlobalSymbol) reader_.Fail(name.at, "a function's symbol is the name behind def");
      if (attrs.Find(name.value)) reader_.Fail(name.at, fmt::format("{} is given twice", name.text));
      reader_.Expect("=", "an attribute's");
      attrs.Set(name.value, ParseAttrValue(reader_));
    }
    if (!reader_.Accept(",") && !reader_.next().Is(")")) reader_.Expect(")", "the parameters'");
  }
}

std::shared_ptr<const Var> FunctionParser::Declaration() {
  const Token name = reader_.Expect(TokenKind::kLocal, "a variable, such as %x,");
  const TypePtr type = reader_.Accept(":") ? ParseType(reader_) : nullptr;
  auto var = std::make_shared<const Var>(name.value, type);
  module_.Place(*var, name.at);
  Declare(name, var);
  return var;
}

void FunctionParser::Declare(const Token& name, ExprPtr expr) {
  if (!scope_.Declare(ScopeName(name), std::move(expr))) {
    reader_.Fail(name.at, fmt::format("{} is declared twice", name.text));
  }
}

ExprPtr FunctionParser::Body(Vars* free) {
  for (;;) {
    const bool line = reader_.next().kind == TokenKind::kLine && reader_.AfterNext().Is("=");
    if (line) {
      Line();
    } else if (reader_.next().Is("let")) {
      Let();
    } else if (reader_.next().Is("free_var")) {
      FreeVar(free);
    } else {
      return Expr("");
    }
  }
}

void FunctionParser::Line() {
  const Token name = reader_.Take();
  reader_.Expect("=", "a line's");
  Declare(name, Expr(name.text));
  reader_.Expect(";", "at the end of a line");
}

// A graph shares a value that is used twice, so `let` only makes a name and no node.
void FunctionParser::Let() {
  reader_.Take();
  const Token name = reader_.Expect(TokenKind::kLocal, "a variable, such as %x,");
  const TypePtr type = reader_.Accept(":") ? ParseType(reader_) : nullptr;
  reader_.Expect("=", "after let and its variable");
  ExprPtr value = Expr(name.text);
  if (type != nullptr) module_.Declare(value, type, name.at, reader_);
  reader_.Expect(";", "at the end of a line");
  Declare(name, std::move(value));
}

void FunctionParser::FreeVar(Vars* free) {
  if (free == nullptr) reader_.FailAtNext("a function has no free variables; they are its parameters");
  reader_.Take();
  free->push_back(Declaration());
  reader_.Expect(";", "at the end of a line");
}

ExprPtr FunctionParser::Expr(const std::string& name) {
  if (++depth_ > kDeepest) reader_.FailAtNext(fmt::format("the text nests more than {} deep", kDeepest));
  const TextPosition at = reader_.next().at;
  ExprPtr expr = Primary(name);
  for (;;) {
    if (reader_.next().Is("(")) {
      expr = FunctionCall(std::move(expr), at, name);
    } else if (reader_.Accept(".")) {
      expr = Item(std::move(expr), at);
    } else {
      --depth_;
      return expr;
    }
  }
}

ExprPtr FunctionParser::Primary(const std::string& name) {
  const TextPosition at = reader_.next().at;
  switch (reader_.next().kind) {
    case TokenKind::kLocal:
    case TokenKind::kLine:
      return Known(reader_.Take());
    case TokenKind::kGlobal: {
      const Token global = reader_.Take();
      return module_.Global(global, reader_, depth_);
    }
    case TokenKind::kNumber: {
      const Token number = reader_.Take();
      return Counted(MakeConstant(ScalarOf(number, reader_)), at);
    }
    case TokenKind::kName:
      return Named(name);
    default:
      if (reader_.Accept("(")) return Parenthesised();
      reader_.FailAtNext(fmt::format("\"{}\" stands where an expression would be right", reader_.Shown()));
  }
}

ExprPtr FunctionParser::Known(const Token& name) {
  ExprPtr expr;
  switch (scope_.Find(ScopeName(name), expr)) {
    case Scope::Found::kHere:
      return expr;
    case Scope::Found::kOutside:
      reader_.Fail(name.at, fmt::format("{} is of the function around this one, which takes what it uses as parameters",
                                        name.text));
    case Scope::Found::kNowhere:
      break;
  }
  reader_.Fail(name.at, fmt::format("there is no {} before this place", name.text));
}

ExprPtr FunctionParser::Named(const std::string& name) {
  const Token word = reader_.Take();
  if (word.text == "True" || word.text == "False") {
    Tensor value(DType::kBool, {});
    value.Set(0, word.text == "True" ? 1 : 0);
    return Counted(MakeConstant(value), word.at);
  }
  if (word.text == "fn") return Function("");
  if (word.text == "meta") return Meta();
  if (word.text == "if") {
    reader_.Fail(word.at, "a graph has no if; where(condition, a, b) picks from two that are both computed");
  }
  return OperatorCall(word, name);
}

ExprPtr FunctionParser::Meta() {
  const TextPosition at = reader_.next().at;
  reader_.Expect("[", "a constant's");
  const Token table = reader_.Expect(TokenKind::kName, "relay.Constant");
  if (table.value != "relay.Constant") {
    reader_.Fail(table.at, fmt::format("meta[{}] is unknown; meta[relay.Constant][0] would be right", table.text));
  }
  reader_.Expect("]", "a constant's");
  reader_.Expect("[", "a constant's");
  const Token number = reader_.Expect(TokenKind::kNumber, "a constant's number");
  reader_.Expect("]", "a constant's");
  return Counted(module_.ConstantOf(fmt::format("meta[relay.Constant][{}]", number.text), at, reader_), at);
}

ExprPtr FunctionParser::OperatorCall(const Token& op, const std::string& name) {
  const OpDef& def = OperatorOf(op, reader_);
  reader_.Expect("(", fmt::format("after {}", def.name));
  std::vector<ExprPtr> args;
  Attrs attrs;
  while (!reader_.Accept(")")) {
    if (reader_.next().kind == TokenKind::kName && reader_.AfterNext().Is("=")) {
      const Token attr = reader_.Take();
      RequireAttr(def, attr, attrs, reader_);
      reader_.Expect("=", "an attribute's");
      attrs.Set(attr.value, ParseAttrValue(reader_));
    } else {
      args.push_back(Expr(""));
    }
    if (!reader_.Accept(",") && !reader_.next().Is(")")) reader_.Expect(")", "the arguments'");
  }
  try {
    return Counted(MakeCall(def.name, std::move(args), attrs, name), op.at);
  } catch (const Error& error) {
    // A call that the schema refuses is an error of the text here, not a bug.
    if (error.code() != ExitCode::kBug) throw;
    reader_.Fail(op.at, error.what());
  }
}

ExprPtr FunctionParser::FunctionCall(ExprPtr callee, const TextPosition& at, const std::string& name) {
  const relay::Function* function = AsFunction(callee);
  if (function == nullptr) reader_.Fail(at, "what is called is no operator and no function");
  reader_.Take();
  std::vector<ExprPtr> args;
  while (!reader_.Accept(")")) {
    args.push_back(Expr(""));
    if (!reader_.Accept(",") && !reader_.next().Is(")")) reader_.Expect(")", "the arguments'");
  }
  if (args.size() != function->params.size()) {
    reader_.Fail(at, fmt::format("the function takes {}, not {}", hone::Counted(function->params.size(), "argument"),
                                 args.size()));
  }
  const int64_t nodes = 1 + module_.SizeOf(*function);
  return Counted(std::make_shared<Call>(std::move(callee), std::move(args), Attrs{}, name), at, nodes);
}

ExprPtr FunctionParser::Item(ExprPtr tuple, const TextPosition& at) {
  constexpr int64_t kMostItems = 1 << 20;
  // Its text would be another number.
  if (AsConstant(tuple) != nullptr) reader_.FailAtNext("a constant is no tuple and has no items");
  const Token number = reader_.Expect(TokenKind::kNumber, "an item's number");
  const auto index = ParseInteger(number.value);
  if (!index || *index < 0 || *index > kMostItems)
    reader_.Fail(number.at, fmt::format("there is no item {}", number.text));
  return Counted(MakeTupleGetItem(std::move(tuple), static_cast<int>(*index)), at);
}

// A tuple; one expression without a comma is that expression.
ExprPtr FunctionParser::Parenthesised() {
  const TextPosition at = reader_.next().at;
  std::vector<ExprPtr> fields;
  bool comma = false;
  while (!reader_.Accept(")")) {
    fields.push_back(Expr(""));
    comma = reader_.Accept(",");
    if (!comma && !reader_.next().Is(")")) reader_.Expect(")", "a tuple's");
  }
  if (fields.size() == 1 && !comma) return fields[0];
  return Counted(MakeTuple(std::move(fields)), at);
}

}  // namespace hone::relay
