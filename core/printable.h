// Text from outside (a model's names, a peer's message) as a terminal may show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// Control characters as \u001b, bytes that are not UTF-8 as U+FFFD, and line breaks and tabs as spaces. In a JSON text
// that is an escape of the same text.
std::string Printable(std::string_view text);
// The same of a text of lines: line breaks and tabs stay.
std::string PrintableLines(std::string_view text);

// At most `most_bytes` and a few words: of a longer text the beginning, how many bytes were left out, and the end.
std::string Shortened(std::string_view text, size_t most_bytes);

// "program: message\n": one line whatever the message holds, and no longer than a few terminal rows.
std::string ErrorLine(std::string_view program, std::string_view message);

}  // namespace hone
