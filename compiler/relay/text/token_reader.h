// A lexer with one token of lookahead.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "compiler/relay/text/lexer.h"

namespace hone::relay {

// Cheap to copy: a copy continues from the same place.
class TokenReader {
 public:
  explicit TokenReader(Lexer lexer) : lexer_(lexer), next_(lexer_.Next()) {}

  const Token& next() const { return next_; }
  // The token after the next.
  Token AfterNext() const { return Lexer(lexer_).Next(); }

  Token Take() {
    Token taken = std::move(next_);
    next_ = lexer_.Next();
    return taken;
  }
  // Takes the next token if it is that mark or name.
  bool Accept(std::string_view text) {
    if (!next_.Is(text)) return false;
    Take();
    return true;
  }
  // `what` says in the error what the mark ends or begins.
  void Expect(std::string_view text, std::string_view what) {
    if (!Accept(text)) FailAtNext(fmt::format("\"{}\" stands where {} {} would be right", Shown(), what, text));
  }
  Token Expect(TokenKind kind, std::string_view what) {
    if (next_.kind != kind) FailAtNext(fmt::format("\"{}\" stands where {} would be right", Shown(), what));
    return Take();
  }

  [[noreturn]] void FailAtNext(const std::string& message) const { lexer_.Fail(next_.at, message); }
  [[noreturn]] void Fail(const TextPosition& at, const std::string& message) const { lexer_.Fail(at, message); }
  // The next token as a message may show it.
  std::string Shown() const;

 private:
  Lexer lexer_;
  Token next_;
};

// Maximal nesting depth of functions, calls, tuples and types; each level is a frame of the stack.
inline constexpr int kDeepest = 128;

}  // namespace hone::relay
