#include "core/text/sum_of_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace hone {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Numbers are short, so that no product or sum of extents overflows.
std::optional<int64_t> NumberOf(std::string_view text) {
  constexpr size_t kMostDigits = 9;
  const bool digits = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (text.empty() || text.size() > kMostDigits || !digits) return std::nullopt;
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool IsName(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}

// Returns false if the text is no term.
bool AddTerm(std::string_view text, int64_t sign, SumOfNames& sum) {
  if (const auto number = NumberOf(text)) return sum.number += sign * *number, true;
  const size_t star = std::min(text.find('*'), text.size());
  std::string_view name = Trimmed(text.substr(0, star));
  if (star < text.size()) {
    const std::string_view behind = Trimmed(text.substr(star + 1));
    const auto front = NumberOf(name), back = NumberOf(behind);
    if (!front && !back) return false;
    sign *= front ? *front : *back;
    if (front) name = behind;
  }
  if (!IsName(name)) return false;
  sum.terms.emplace_back(name, sign);
  return true;
}

}  // namespace

std::optional<SumOfNames> ParseSumOfNames(std::string_view text) {
  SumOfNames sum;
  int64_t sign = 1;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of("+-", begin), text.size());
    if (!AddTerm(Trimmed(text.substr(begin, end - begin)), sign, sum)) return std::nullopt;
    sign = end < text.size() && text[end] == '-' ? -1 : 1;
    begin = end + 1;
  }
  const bool is_name = sum.terms.size() == 1 && sum.terms[0].first == Trimmed(text);
  if (sum.terms.empty() || is_name) return std::nullopt;
  return sum;
}

}  // namespace hone
