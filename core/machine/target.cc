#include "core/machine/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

const std::vector<std::string> kTargetFields = {"-mtriple", "-mcpu", "-mattr", "-num-cores"};

[[noreturn]] void RefuseTarget(std::string_view text, std::string_view why) {
  throw Error(ExitCode::kUsage, fmt::format("target '{}': {}", text, why));
}

std::string ParseName(std::string_view text, std::string_view field, std::string_view value) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (value.empty() || value.find_first_not_of(kAllowed) != std::string_view::npos) {
    RefuseTarget(text, fmt::format("{}={} is not a name of letters, digits and . _ -", field, value));
  }
  return std::string(value);
}

std::vector<std::string> ParseFeatures(std::string_view text, std::string_view value) {
  std::vector<std::string> features;
  for (std::string_view part : Split(value, ',')) {
    if (part.size() < 2 || (part[0] != '+' && part[0] != '-')) {
      RefuseTarget(text, fmt::format("-mattr={}: each feature begins with + or -, as in +avx2", value));
    }
    ParseName(text, "-mattr", part.substr(1));
    std::string opposite(part);
    opposite[0] = part[0] == '+' ? '-' : '+';
    if (std::find(features.begin(), features.end(), opposite) != features.end()) {
      RefuseTarget(text, fmt::format("-mattr has both {} and {}", opposite, part));
    }
    features.emplace_back(part);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

int ParseCores(std::string_view text, std::string_view value) {
  const auto cores = ParseInteger(value);
  if (!cores || *cores < 1 || *cores > 1 << 16)
    RefuseTarget(text, fmt::format("-num-cores={} is not a number of cores", value));
  return static_cast<int>(*cores);
}

void SetTargetField(std::string_view text, std::string_view field, std::string_view value, Target& target) {
  if (field == "-mtriple") target.triple = ParseName(text, field, value);
  if (field == "-mcpu") target.cpu = ParseName(text, field, value);
  if (field == "-mattr") target.features = ParseFeatures(text, value);
  if (field == "-num-cores") target.num_cores = ParseCores(text, value);
  if (target.cpu == "native")
    RefuseTarget(text, "-mcpu=native names no CPU; write the target as host, or name the CPU");
}

}  // namespace

std::string Target::ToText() const {
  std::string text = "llvm";
  if (!triple.empty()) text += " -mtriple=" + triple;
  if (!cpu.empty()) text += " -mcpu=" + cpu;
  if (!features.empty()) text += fmt::format(" -mattr={}", fmt::join(features, ","));
  if (num_cores != 0) text += fmt::format(" -num-cores={}", num_cores);
  return text;
}

Target Target::Parse(std::string_view text) {
  std::vector<std::string_view> words = Split(text, ' ');
  std::erase(words, std::string_view());
  if (words.empty() || words[0] != "llvm") {
    RefuseTarget(text, "it is host, or begins with llvm, as in llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72");
  }
  Target target;
  std::vector<std::string_view> given;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string_view field = words[i].substr(0, equals);
    if (equals == std::string_view::npos ||
        std::find(kTargetFields.begin(), kTargetFields.end(), field) == kTargetFields.end()) {
      RefuseTarget(text, fmt::format("'{}' is not one of {}{}", words[i], fmt::join(kTargetFields, ", "),
                                     DidYouMean(field, kTargetFields)));
    }
    if (std::find(given.begin(), given.end(), field) != given.end())
      RefuseTarget(text, fmt::format("{} is given twice", field));
    given.push_back(field);
    SetTargetField(text, field, words[i].substr(equals + 1), target);
  }
  return target;
}

}  // namespace hone
