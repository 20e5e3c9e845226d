#include "lab/model/lengths_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

// Parses "57" or "batch=4,seq=57".
std::optional<std::map<std::string, int64_t>> ParseExtents(std::string_view text) {
  std::map<std::string, int64_t> extents;
  for (const std::string_view part : Split(text, ',')) {
    const size_t sign = part.rfind('=');
    const bool named = sign != std::string_view::npos;
    const std::optional<int64_t> extent = ParseInteger(named ? part.substr(sign + 1) : part);
    if (!extent || *extent < 0 || sign == 0) return std::nullopt;
    if (!extents.emplace(named ? part.substr(0, sign) : std::string_view(), *extent).second) return std::nullopt;
  }
  return extents;
}

}  // namespace

std::vector<RunLength> ReadLengths(const std::string& path) {
  if (!IsThere(path)) {
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no file {}; one with lines as \"57 1200\" would be right: a length, and how many "
                            "runs had it",
                            path));
  }
  const std::string text = ReadFile(path);
  std::vector<RunLength> lengths;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const auto extents = ParseExtents(words[0]);
    const std::optional<int64_t> count = words.size() == 2 ? ParseInteger(words[1]) : std::nullopt;
    if (!extents || !count || *count < 1) {
      throw Error(ExitCode::kBadData,
                  fmt::format("{}, line {}: \"{}\"; right is a length and how many runs had it, as \"57 1200\" or "
                              "\"batch=4,seq=57 1200\"",
                              path, number, Printable(std::string(line))));
    }
    lengths.push_back({*extents, static_cast<double>(*count)});
  }
  if (lengths.empty()) throw Error(ExitCode::kBadData, path + " has no lengths");
  return lengths;
}

}  // namespace hone
