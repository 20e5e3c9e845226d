#include "compiler/relay/text/lexer.h"

#include <fmt/format.h>

#include <array>

#include "core/error.h"
#include "core/text/printable.h"

namespace hone::relay {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// -1 if it is no digit.
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

void Lexer::Fail(const TextPosition& at, const std::string& message) const {
  throw Error(ExitCode::kBadData, fmt::format("{}:{}:{}: {}", source_, at.line, at.column, message));
}

void Lexer::Advance() {
  ++at_.column;
  if (text_[next_++] == '\n') at_ = {at_.line + 1, 1};
}

void Lexer::SkipComment() {
  const TextPosition start = at_;
  Advance();
  Advance();
  while (!AtEnd() && !(Peek() == '*' && Peek(1) == '/')) Advance();
  if (AtEnd()) Fail(start, "a comment does not end; */ ends it");
  Advance();
  Advance();
}

void Lexer::SkipBlanks() {
  while (!AtEnd()) {
    if (IsBlank(Peek())) {
      Advance();
    } else if (Peek() == '/' && Peek(1) == '*') {
      SkipComment();
    } else if (Peek() == '/' && Peek(1) == '/') {
      while (!AtEnd() && Peek() != '\n') Advance();
    } else {
      return;
    }
  }
}

std::string Lexer::TakeName() {
  const size_t start = next_;
  while (IsLetter(Peek()) || IsDigit(Peek()) || (Peek() == '.' && next_ > start && IsLetter(Peek(1)))) Advance();
  return std::string(text_.substr(start, next_ - start));
}

std::string Lexer::TakeDigits() {
  const size_t start = next_;
  while (IsDigit(Peek())) Advance();
  return std::string(text_.substr(start, next_ - start));
}

char Lexer::TakeEscape(const TextPosition& at) {
  const char kind = Peek();
  if (!AtEnd()) Advance();
  if (kind == '"' || kind == '\\') return kind;
  if (kind == 'n') return '\n';
  if (kind == 't') return '\t';
  const int high = HexDigit(Peek()), low = high < 0 ? -1 : HexDigit(Peek(1));
  if (kind != 'x' || low < 0) Fail(at, "a string has an unknown escape; \\\", \\\\, \\n, \\t and \\x1f are known");
  Advance();
  Advance();
  return static_cast<char>(high * 16 + low);
}

std::string Lexer::TakeString() {
  const TextPosition start = at_;
  Advance();
  std::string value;
  while (!AtEnd() && Peek() != '"' && Peek() != '\n') {
    const TextPosition at = at_;
    const char c = Peek();
    Advance();
    value += c == '\\' ? TakeEscape(at) : c;
  }
  if (Peek() != '"') Fail(start, "a string does not end in its line");
  Advance();
  return value;
}

Token Lexer::TakeNumber(Token token) {
  token.kind = TokenKind::kNumber;
  if (Peek() == '-') {
    token.value = "-";
    Advance();
  }
  if (IsLetter(Peek())) {
    // inf and nan are words with a suffix: -inff.
    token.value += text_.substr(next_, 3);
    for (int i = 0; i < 3; ++i) Advance();
    token.suffix = TakeName();
    return token;
  }
  token.value += TakeDigits();
  if (after_point_) return token;
  if (Peek() == '.' && IsDigit(Peek(1))) {
    Advance();
    token.value += "." + TakeDigits();
  }
  const bool sign = Peek(1) == '-' || Peek(1) == '+';
  if (Peek() == 'e' && IsDigit(Peek(sign ? 2 : 1))) {
    token.value += sign && Peek(1) == '-' ? "e-" : "e";
    for (int i = 0; i < (sign ? 2 : 1); ++i) Advance();
    token.value += TakeDigits();
  }
  if (IsLetter(Peek())) token.suffix = TakeName();
  return token;
}

Token Lexer::TakeLocal(Token token) {
  Advance();
  token.kind = IsDigit(Peek()) ? TokenKind::kLine : TokenKind::kLocal;
  if (IsDigit(Peek())) {
    token.value = TakeDigits();
  } else {
    token.value = Peek() == '"' ? TakeString() : TakeName();
    if (token.value.empty()) Fail(token.at, "% has no name behind it; %data, %12 or %\"input:0\" would be right");
  }
  return token;
}

Token Lexer::TakeWord(Token token) {
  const std::string_view rest = text_.substr(next_);
  const auto is_word = [&](std::string_view word) {
    constexpr std::array<std::string_view, 5> kSuffixes = {"f", "f64", "float16", "bfloat16", ""};
    for (const std::string_view suffix : kSuffixes) {
      const size_t size = word.size() + suffix.size();
      const char after = size < rest.size() ? rest[size] : '\0';
      const bool same = rest.starts_with(word) && rest.substr(word.size()).starts_with(suffix);
      if (same && !IsLetter(after) && !IsDigit(after) && after != '.') return true;
    }
    return false;
  };
  if (is_word("inf") || is_word("nan") || is_word("-inf") || is_word("-nan")) return TakeNumber(std::move(token));
  if (Peek() == '-') Fail(token.at, "- stands before no number");
  token.kind = TokenKind::kName;
  token.value = TakeName();
  return token;
}

Token Lexer::Next() {
  SkipBlanks();
  Token token;
  token.at = at_;
  const size_t start = next_;
  const char c = Peek();
  if (AtEnd()) {
    token.text = "the end";
    return token;
  }
  constexpr std::string_view kMarks = "(){}[],;:=.?#";
  if (c == '-' && Peek(1) == '>') {
    token.kind = TokenKind::kMark;
    Advance();
    Advance();
  } else if (IsDigit(c) || (c == '-' && IsDigit(Peek(1)))) {
    token = TakeNumber(std::move(token));
  } else if (c == '%') {
    token = TakeLocal(std::move(token));
  } else if (c == '@') {
    Advance();
    token.kind = TokenKind::kGlobal;
    token.value = TakeName();
    if (token.value.empty()) Fail(token.at, "@ has no name behind it; @main would be right");
  } else if (c == '"') {
    token.kind = TokenKind::kString;
    token.value = TakeString();
  } else if (IsLetter(c) || c == '-') {
    token = TakeWord(std::move(token));
  } else if (kMarks.find(c) != std::string_view::npos) {
    token.kind = TokenKind::kMark;
    Advance();
  } else {
    Fail(token.at, fmt::format("'{}' begins no word of Relay's text", Printable(text_.substr(next_, 1))));
  }
  token.text = std::string(text_.substr(start, next_ - start));
  after_point_ = token.text == ".";
  return token;
}

std::string TokenReader::Shown() const {
  constexpr size_t kMost = 60;
  return next_.kind == TokenKind::kEnd ? next_.text : Shortened(Printable(next_.text), kMost);
}

}  // namespace hone::relay
