// Chooses configs that are worth a trial before anything is known.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tuner/search/search_space.h"

namespace hone {

// Candidates are shown in the order of their promise. The first few are always founders, because the estimate may be
// right. Later founders show a new value of a knob with few values, or a new schedule. A wrong estimate is mostly
// wrong about one such choice, and a model cannot learn about a value without a trial.
class Founders {
 public:
  static constexpr size_t kFirst = 3;
  static constexpr size_t kMost = 24;
  static constexpr size_t kFewValues = 8;

  // The space's knobs and values are taken from its ranked configs.
  explicit Founders(const SearchSpace& space);
  bool Wants(const Proposal& proposal) const;
  void Add(const Proposal& proposal);
  // Whether nothing more is wanted: there are enough founders, or every value was seen.
  bool done() const { return count_ >= kMost || (count_ >= kFirst && unseen_.empty()); }

 private:
  size_t count_ = 0;
  std::map<std::string, std::set<int64_t>>
      unseen_;  // unseen values by schedule and knob; knobs without any are removed
};

}  // namespace hone
