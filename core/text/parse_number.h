// Parsers of small texts from outside: numbers, durations, words, lists of CPUs. The whole text must be of the form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone {

// A decimal integer with an optional '-' and nothing around it; nullopt otherwise, also beyond 64 bits.
std::optional<int64_t> ParseInteger(std::string_view text);
// A finite decimal number; nullopt otherwise.
std::optional<float> ParseFloat(std::string_view text);
// The parts between separators, empty ones included; {""} for an empty text.
std::vector<std::string_view> Split(std::string_view text, char separator);
// The parts between blanks, tabs and line ends, in order; none is empty. They live as long as `text`.
std::vector<std::string_view> Words(std::string_view text);

// Reads "250ms", "90s", "10m" or "2h" as nanoseconds. Throws Error(kUsage) naming the text; zero is refused.
int64_t ParseDuration(std::string_view text);

// Reads "0,2-3" as {0, 2, 3} and "" as {}. Throws Error(kUsage) naming the text on anything else, also on a number over
// 4095.
std::vector<int> ParseCoreList(std::string_view text);

}  // namespace hone
