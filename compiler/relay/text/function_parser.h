// One function of Relay's text, or the lines of an expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/text/lexer.h"
#include "compiler/relay/text/module_text.h"
#include "compiler/relay/text/scope.h"

namespace hone::relay {

// All functions throw Error(kBadData) with line and column.
class FunctionParser {
 public:
  // `depth` is the nesting depth of the text so far: functions that call functions share the stack.
  FunctionParser(TokenReader reader, ModuleText& module, int depth)
      : reader_(std::move(reader)), module_(module), depth_(depth) {}

  // Reads from the parenthesis of the parameters to the closing brace. `symbol` is as in kGlobalSymbol; may be empty.
  FunctionPtr Function(const std::string& symbol);
  // Reads lines up to the end of the text. The free variables become parameters in the order of their lines.
  FunctionPtr Expression();
  // The reader after one of the two.
  const TokenReader& reader() const { return reader_; }

 private:
  using Vars = std::vector<std::shared_ptr<const Var>>;

  ExprPtr Body(Vars* free);
  void Line();
  void Let();
  void FreeVar(Vars* free);
  std::shared_ptr<const Var> Declaration();
  void Params(Vars& params, Attrs& attrs);
  FunctionPtr Counted(Vars params, ExprPtr body, Attrs attrs);

  // `name` is the line's name, which a call on it gets.
  ExprPtr Expr(const std::string& name);
  ExprPtr Primary(const std::string& name);
  ExprPtr Named(const std::string& name);
  ExprPtr OperatorCall(const Token& op, const std::string& name);
  ExprPtr FunctionCall(ExprPtr callee, const TextPosition& at, const std::string& name);
  ExprPtr Item(ExprPtr tuple, const TextPosition& at);
  ExprPtr Parenthesised();
  ExprPtr Meta();
  ExprPtr Known(const Token& name);
  void Declare(const Token& name, ExprPtr expr);
  ExprPtr Counted(ExprPtr expr, const TextPosition& at, int64_t nodes = 1);

  TokenReader reader_;
  ModuleText& module_;
  Scope scope_;
  int depth_;
  int64_t nodes_ = 0;
};

}  // namespace hone::relay
