// Parsers of numbers in text from outside. The whole text must be the number.
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

}  // namespace hone
