#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

constexpr size_t kMostErrorBytes = 2000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the UTF-8 character that text begins with; 0 when it does not begin with one. Overlong forms pass: to a
// terminal they are no control characters either.
size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes), follows) ? bytes : 0;
}

// The control character's code point, or -1. Those from U+0080 to U+009F are two bytes of UTF-8.
int ControlCode(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x20 || first == 0x7F) return first;
  const auto second = static_cast<unsigned char>(character.size() > 1 ? character[1] : 0);
  return first == 0xC2 && second < 0xA0 ? second : -1;
}

std::string Escaped(std::string_view text, bool lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<size_t>(1, bytes));
    const int code = bytes == 0 ? -1 : ControlCode(character);
    if (code == '\n' || code == '\t' || code == '\r') {
      shown += lines && code != '\r' ? character[0] : ' ';
    } else if (code >= 0) {
      shown += fmt::format("\\u{:04x}", code);
    } else {
      shown += bytes == 0 ? kReplacement : character;
    }
    text.remove_prefix(character.size());
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

}  // namespace hone
