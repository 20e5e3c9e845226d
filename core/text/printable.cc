#include "core/text/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace hone {

namespace {

constexpr size_t kMostErrorBytes = 2000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  char32_t first, last;
};

// Characters that a terminal obeys or does not show: Unicode 15's control and format characters, its line and
// paragraph separators, and those that it ignores by default. A text that contains them may read as another one.
constexpr Range kHidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},  // control characters
    {0x00AD, 0x00AD},                      // soft hyphen
    {0x034F, 0x034F},                      // grapheme joiner
    {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},
    {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x115F, 0x1160},   {0x17B4, 0x17B5},  // empty letters
    {0x180B, 0x180F},                                                              // Mongolian selectors
    {0x200B, 0x200F},                      // spaces of no width, joiners, marks of direction
    {0x2028, 0x202E},                      // separators; embeddings and overrides of direction
    {0x2060, 0x206F},                      // word joiner, invisible operators, isolates of direction
    {0x3164, 0x3164},                      // an empty letter
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  // selectors of a form, byte order mark
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},  // marks of notations; tags
};

bool IsHidden(char32_t code) {
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [code](const Range& range) { return range.first <= code && code <= range.last; });
}

struct Character {
  size_t bytes = 0;  // 0: the text does not begin with a character
  char32_t code = 0;
};

// The UTF-8 character at the beginning of the text. Only the shortest encoding counts, and no half of a surrogate
// pair.
Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const size_t bytes = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = lead & (0x7Fu >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool right = code >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return right ? Character{bytes, code} : Character{};
}

// The escape that JSON uses: a surrogate pair beyond U+FFFF.
std::string EscapeOf(char32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  const auto rest = static_cast<uint32_t>(code - 0x10000);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

constexpr std::string_view kHiddenPassword = "***";
constexpr std::string_view kEndsOfAddress = " \t\r\n'\"`";

// Hides what stands between the user's name and the host of an address: scheme://USER:PASSWORD@HOST. A password may
// hold '@' and '/', so the last '@' of the word counts.
void HideInAddresses(std::string& text) {
  constexpr std::string_view kBegin = "://";
  for (size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) {
    const size_t begin = at + kBegin.size();
    const std::string_view rest = std::string_view(text).substr(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(kEndsOfAddress));
    const size_t colon = word.find(':'), host = word.rfind('@');
    if (host == word.npos || colon > host) continue;
    text.replace(begin + colon + 1, host - colon - 1, kHiddenPassword);
  }
}

// Hides the value of each "password=VALUE", as addresses of databases have it, in any case.
void HideAssigned(std::string& text) {
  constexpr std::string_view kName = "password=";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  for (auto at = text.begin();;) {
    at = std::search(at, text.end(), kName.begin(), kName.end(), same);
    if (at == text.end()) return;
    const auto begin = static_cast<size_t>(at - text.begin()) + kName.size();
    const size_t end = std::min(text.size(), text.find_first_of(" \t\r\n'\"`&", begin));
    text.replace(begin, end - begin, kHiddenPassword);
    at = text.begin() + static_cast<std::ptrdiff_t>(begin);
  }
}

std::string Escaped(std::string_view given, bool lines) {
  std::string without_passwords(given);
  HideInAddresses(without_passwords);
  HideAssigned(without_passwords);
  std::string_view text = without_passwords;
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [bytes, code] = FirstCharacter(text);
    if (bytes == 0) {
      shown += kReplacement;
    } else if (code == '\n' || code == '\t' || code == '\r') {
      shown += lines && code != '\r' ? text[0] : ' ';
    } else if (IsHidden(code)) {
      shown += EscapeOf(code);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<size_t>(1, bytes));
  }
  return shown;
}

}  // namespace

std::string Printable(std::string_view text) { return Escaped(text, false); }

std::string PrintableLines(std::string_view text) { return Escaped(text, true); }

std::string Shortened(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  const size_t end = most_bytes / 4;
  return fmt::format("{} ... ({} bytes left out) ... {}", text.substr(0, most_bytes - end), text.size() - most_bytes,
                     text.substr(text.size() - end));
}

std::string ErrorLine(std::string_view program, std::string_view message) {
  return fmt::format("{}: {}\n", program, Printable(Shortened(message, kMostErrorBytes)));
}

namespace {

// A character in '...', or in $'...', which shows line breaks and tabs.
std::string QuotedForShell(char c, bool plainly) {
  if (plainly) return c == '\'' ? "'\\''" : std::string(1, c);
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
}

}  // namespace

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  const bool one_line = text.find_first_of("\n\r\t") == std::string::npos;
  std::string word = one_line ? "'" : "$'";
  for (const char c : text) word += QuotedForShell(c, one_line);
  return word + "'";
}

std::string ShellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + ShellWord(word);
  return line;
}

}  // namespace hone
