// The words of Relay's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::relay {

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
  kNumber,  // 12, -1.5e-05f, 3i64, inff: `value` is the number, `suffix` what follows it at once
  kString,  // "NCHW": `value` without quotes and escapes
  kMark,    // one character: ( ) { } [ ] , ; : = . ? # or the two of ->
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // as it stands
  std::string value;
  std::string suffix;
  TextPosition at;

  bool Is(std::string_view mark_or_name) const {
    return (kind == TokenKind::kMark || kind == TokenKind::kName) && text == mark_or_name;
  }
};

// Reads words one after another; blanks and comments (`//` to the end of the line, `/*` to `*/`) lie between them.
// Small, and cheap to copy: a copy goes on from the same place. `text` and `source` outlive it.
class Lexer {
 public:
  // `source` is what errors begin with: a file's path.
  Lexer(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  // Throws Error(kBadData), as Fail, for what is no word: a stray character, a string or a comment that does not end.
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
  bool after_point_ = false;  // an item's number: "%1.0.1" are the items 0 and 1, and no fraction
};

}  // namespace hone::relay
