// The tokens of Relay's text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hone::relay {

// The characters of plain names; "_" counts as a letter.
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Lines and columns count from 1, columns in bytes.
struct TextPosition {
  int64_t line = 1, column = 1;
};

enum class TokenKind : uint8_t {
  kEnd,
  kLocal,   // %data, %"input:0": `value` is the name
  kLine,    // %12: `value` is the number
  kGlobal,  // @main: `value` is the name
  kName,    // nn.conv2d, True, fn, Tensor
  kNumber,  // 12, -1.5e-05f, 3i64, inff: `value` is the number, `suffix` the letters right after it
  kString,  // "NCHW": `value` without quotes and escapes
  kMark,    // one character: ( ) { } [ ] , ; : = . ? # or the two of ->
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // as written
  std::string value;
  std::string suffix;
  TextPosition at;

  bool Is(std::string_view mark_or_name) const {
    return (kind == TokenKind::kMark || kind == TokenKind::kName) && text == mark_or_name;
  }
};

// Reads tokens one after another; between them are blanks and comments (`//` to the end of the line, `/*` to `*/`).
// Small, and cheap to copy: a copy continues from the same place. `text` and `source` must outlive it.
class Lexer {
 public:
  // `source` is the beginning of each error: a file's path.
  Lexer(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  // Throws Error(kBadData), as Fail, for a stray character, and for a string or comment that does not end.
  Token Next();
  // Throws Error(kBadData): "net.relay:3:14: " and the message.
  [[noreturn]] void Fail(const TextPosition& at, const std::string& message) const;

 private:
  char Peek(size_t ahead = 0) const { return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0'; }
  bool AtEnd() const { return next_ >= text_.size(); }
  void Advance();
  void SkipBlanks();
  void SkipComment();
  std::string TakeName();
  std::string TakeDigits();
  std::string TakeString();
  char TakeEscape(const TextPosition& at);
  Token TakeNumber(Token token);
  Token TakeLocal(Token token);
  Token TakeWord(Token token);

  std::string_view text_, source_;
  size_t next_ = 0;
  TextPosition at_;
  bool after_point_ = false;  // after an item's point: "%1.0.1" is items 0 and 1, not a fraction
};

// A lexer with one token of lookahead. Cheap to copy: a copy continues from the same place.
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
