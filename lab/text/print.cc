#include "lab/text/print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "core/text/printable.h"
#include "lab/text/status_line.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {

void PrintJson(const Json& json) { Print("{}\n", DumpJson(json)); }

Json FiniteOrInf(double error) { return std::isfinite(error) ? Json(error) : Json("inf"); }

namespace {

constexpr int kRed = 31, kGreen = 32;
constexpr std::pair<std::string_view, int> kJudging[] = {{"slower", kRed}, {"DIFFERS", kRed}, {"faster", kGreen}};

bool StandsAlone(std::string_view before, std::string_view behind) {
  const bool begins = before.empty() || before.ends_with(' ') || before.ends_with('\n');
  return begins && !before.ends_with("% ") && (behind.empty() || behind[0] == ' ' || behind[0] == '\n');
}

// The length and colour of the verdict word that begins here; the length is 0 if there is none.
std::pair<size_t, int> JudgingAt(std::string_view text, size_t at) {
  for (const auto& [word, colour] : kJudging) {
    if (!text.substr(at).starts_with(word)) continue;
    if (StandsAlone(text.substr(0, at), text.substr(at + word.size()))) return {word.size(), colour};
  }
  return {0, 0};
}

}  // namespace

std::string WithColours(std::string_view text) {
  std::string coloured;
  for (size_t at = 0; at < text.size();) {
    const auto [length, colour] = JudgingAt(text, at);
    if (length == 0) {
      coloured += text[at++];
    } else {
      coloured += fmt::format("\033[{}m{}\033[0m", colour, text.substr(at, length));
      at += length;
    }
  }
  return coloured;
}

void PrintVerdicts(std::string_view text) {
  const std::string plain = PrintableLines(text);
  WriteToStdout(TakesEscapes(STDOUT_FILENO) ? WithColours(plain) : plain);
}

}  // namespace hone
