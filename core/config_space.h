// A schedule's knobs, and one choice of values for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hone {

// One value per knob, as named text: the order of the knobs is the schedule's, and a stored config never depends on it.
class Config {
 public:
  Config() = default;
  explicit Config(std::vector<std::pair<std::string, int64_t>> values) : values_(std::move(values)) {}

  // The knob's value, or nullopt when the config does not name it (its schedule's default holds then).
  std::optional<int64_t> Find(std::string_view knob) const;
  // The knob's value, or `otherwise` when the config does not name it.
  int64_t Get(std::string_view knob, int64_t otherwise) const;
  void Set(std::string_view knob, int64_t value);
  const std::vector<std::pair<std::string, int64_t>>& values() const { return values_; }

  // "oc_block=16 tile_ow=6"; the order of the knobs is kept.
  std::string ToText() const;
  // Throws Error(kBadData) naming the part that is not NAME=INTEGER, or a knob given twice.
  static Config Parse(std::string_view text);
  bool operator==(const Config&) const = default;

 private:
  std::vector<std::pair<std::string, int64_t>> values_;
};

struct Knob {
  std::string name;
  std::vector<int64_t> values;  // in the order a search should see as near to far
  bool operator==(const Knob&) const = default;
};

// The cross product of knobs. Index order is mixed radix, with the last knob fastest. An index is only for loops in
// memory and is never stored.
class ConfigSpace {
 public:
  ConfigSpace() = default;
  // Throws Error(kBug) when it has more points than 64 bits can count.
  explicit ConfigSpace(std::vector<Knob> knobs);
  const std::vector<Knob>& knobs() const { return knobs_; }
  // 1 for a space without knobs.
  int64_t size() const { return size_; }
  // Throws Error(kBug) when the index is not in [0, size()).
  Config At(int64_t index) const;
  // nullopt when the config lacks a knob of the space, gives one a value outside the space, or names a knob that the
  // space lacks.
  std::optional<int64_t> IndexOf(const Config& config) const;
  Config Sample(Random& random) const;

 private:
  std::vector<Knob> knobs_;
  int64_t size_ = 1;
};

}  // namespace hone
