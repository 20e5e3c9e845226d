#include "db/postgresql/server_text.h"

#include <algorithm>

#include "core/text/printable.h"

namespace hone {
namespace {

// The number of bytes that follow the first byte of a UTF-8 sequence; -1 if the byte begins none.
int Following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  return first >= 0xF0 && first <= 0xF4 ? 3 : -1;
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int following = Following(first);
    if (first == 0 || following < 0) return false;
    for (int n = 0; n < following; ++n, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return false;
      const auto second = static_cast<unsigned char>(text[i]);
      // Refuses overlong forms, surrogates, and code points beyond U+10FFFF.
      if (n == 0 && ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::string ServerText(std::string_view text) {
  // Nearly all texts are ASCII; only other texts need the slower check.
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c != '\0' && static_cast<unsigned char>(c) < 0x80; });
  return plain || IsUtf8(text) ? std::string(text) : Printable(text);
}

}  // namespace hone
