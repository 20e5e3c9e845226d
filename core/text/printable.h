// Text for people: counted nouns, and text from outside (a model's names, a peer's message) made safe to show in a
// terminal or to give to a shell.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// "1 thread", "2 threads", "0 threads"; of a noun whose plural adds an s.
std::string Counted(std::integral auto count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

// Prints control characters as \u001b, bytes that are not UTF-8 as U+FFFD, and line breaks and tabs as spaces. In a
// JSON text the result escapes the same text. Passwords in addresses (scheme://USER:PASSWORD@HOST, password=...) become
// "***".
std::string Printable(std::string_view text);
// Printable for a text of several lines: line breaks and tabs stay.
std::string PrintableLines(std::string_view text);

// Limits a text to `most_bytes` and a few words. A longer text keeps its beginning and end, and the number of bytes
// left out stands between them.
std::string Shortened(std::string_view text, size_t most_bytes);

// "program: message\n": one line for every message, and no longer than a few terminal rows.
std::string ErrorLine(std::string_view program, std::string_view message);

// A text as one word and one line that a shell reads back unchanged. Words that are not plain are in single quotes, and
// in $'...' if they have line breaks or tabs.
std::string ShellWord(const std::string& text);
// Quoted words with blanks between them, which a shell reads as a command line.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace hone
