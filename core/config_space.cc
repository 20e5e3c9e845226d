#include "core/config_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

bool IsKnobName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::pair<std::string, int64_t> ParseKnob(std::string_view part) {
  const size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals);
  const auto value = equals == std::string_view::npos ? std::nullopt : ParseInteger(part.substr(equals + 1));
  if (!IsKnobName(name) || !value) {
    throw Error(ExitCode::kBadData,
                fmt::format("config has '{}'; right would be NAME=INTEGER, as in oc_block=16", part));
  }
  return {std::string(name), *value};
}

}  // namespace

std::optional<int64_t> Config::Find(std::string_view knob) const {
  for (const auto& [name, value] : values_) {
    if (name == knob) return value;
  }
  return std::nullopt;
}

int64_t Config::Get(std::string_view knob, int64_t otherwise) const { return Find(knob).value_or(otherwise); }

void Config::Set(std::string_view knob, int64_t value) {
  for (auto& [name, held] : values_) {
    if (name == knob) {
      held = value;
      return;
    }
  }
  values_.emplace_back(knob, value);
}

std::string Config::ToText() const {
  std::string text;
  for (const auto& [name, value] : values_) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Config Config::Parse(std::string_view text) {
  Config config;
  for (std::string_view part : Split(text, ' ')) {
    if (part.empty()) continue;
    auto [name, value] = ParseKnob(part);
    if (config.Find(name)) throw Error(ExitCode::kBadData, fmt::format("config names the knob {} twice", name));
    config.values_.emplace_back(std::move(name), value);
  }
  return config;
}

ConfigSpace::ConfigSpace(std::vector<Knob> knobs) : knobs_(std::move(knobs)) {
  for (const Knob& knob : knobs_) {
    if (__builtin_mul_overflow(size_, static_cast<int64_t>(knob.values.size()), &size_)) {
      throw Error(ExitCode::kBug, "a config space has more points than 64 bits can count");
    }
  }
}

Config ConfigSpace::At(int64_t index) const {
  if (index < 0 || index >= size_) {
    throw Error(ExitCode::kBug, fmt::format("config index {} is outside a space of {}", index, size_));
  }
  std::vector<std::pair<std::string, int64_t>> values(knobs_.size());
  for (size_t k = knobs_.size(); k-- > 0;) {
    const auto radix = static_cast<int64_t>(knobs_[k].values.size());
    values[k] = {knobs_[k].name, knobs_[k].values[index % radix]};
    index /= radix;
  }
  return Config(std::move(values));
}

std::optional<int64_t> ConfigSpace::IndexOf(const Config& config) const {
  if (config.values().size() != knobs_.size()) return std::nullopt;
  int64_t index = 0;
  for (const Knob& knob : knobs_) {
    const auto value = config.Find(knob.name);
    const auto at = value ? std::find(knob.values.begin(), knob.values.end(), *value) : knob.values.end();
    if (at == knob.values.end()) return std::nullopt;
    index = index * static_cast<int64_t>(knob.values.size()) + (at - knob.values.begin());
  }
  return index;
}

Config ConfigSpace::Sample(Random& random) const {
  std::vector<std::pair<std::string, int64_t>> values;
  values.reserve(knobs_.size());
  for (const Knob& knob : knobs_) values.emplace_back(knob.name, knob.values[random.Below(knob.values.size())]);
  return Config(std::move(values));
}

}  // namespace hone
