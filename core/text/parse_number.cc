#include "core/text/parse_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/error.h"

namespace hone {

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<float> ParseFloat(std::string_view text) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kBetween = " \t\n";
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(kBetween); begin != text.npos;) {
    const size_t end = text.find_first_of(kBetween, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBetween, end);
  }
  return words;
}

namespace {

struct DurationUnit {
  std::string_view suffix;
  int64_t ns;
};
// "ms" comes before "s" because the first suffix that fits is taken.
constexpr DurationUnit kUnits[] = {
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};

constexpr int kMaxCore = 4095;

[[noreturn]] void Fail(std::string_view text) {
  throw Error(ExitCode::kUsage, fmt::format("--cores is given \"{}\"; right is a list such as 0,2-3", text));
}

int TakeNumber(std::string_view& rest, std::string_view text) {
  int number = 0;
  const auto [after, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number < 0 || number > kMaxCore) Fail(text);
  rest.remove_prefix(static_cast<size_t>(after - rest.data()));
  return number;
}

}  // namespace

int64_t ParseDuration(std::string_view text) {
  for (const DurationUnit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto count = ParseInteger(text.substr(0, text.size() - unit.suffix.size()));
    if (!count || *count <= 0 || *count > std::numeric_limits<int64_t>::max() / unit.ns) break;
    return *count * unit.ns;
  }
  throw Error(ExitCode::kUsage, fmt::format("'{}' is not a duration; 90s, 10m or 2h would be right", text));
}

std::vector<int> ParseCoreList(std::string_view text) {
  std::vector<int> cores;
  std::string_view rest = text;
  while (!rest.empty()) {
    const int first = TakeNumber(rest, text);
    int last = first;
    if (!rest.empty() && rest[0] == '-') {
      rest.remove_prefix(1);
      last = TakeNumber(rest, text);
    }
    if (last < first) Fail(text);
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (rest.empty()) break;
    if (rest[0] != ',' || rest.size() == 1) Fail(text);
    rest.remove_prefix(1);
  }
  return cores;
}

}  // namespace hone
