// Which configs are worth a trial before anything is known.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tuner/search_space.h"

namespace hone {

// Candidates are shown in the order of their promise. The first few are founders whatever they are: the estimate may be
// right. Then those that show a value not seen yet of a knob with few values, or a schedule not seen yet: where the
// estimate is wrong it is mostly wrong about one such choice, and a model cannot learn of a value that nobody tried.
class Founders {
 public:
  static constexpr size_t kFirst = 3;
  static constexpr size_t kMost = 24;
  static constexpr size_t kFewValues = 8;

  // The space's knobs and values are taken from its ranked configs.
  explicit Founders(const SearchSpace& space);
  bool Wants(const Proposal& proposal) const;
  void Add(const Proposal& proposal);
  // Nothing more is wanted: there are enough, or every value was seen.
  bool done() const { return count_ >= kMost || (count_ >= kFirst && unseen_.empty()); }

 private:
  size_t count_ = 0;
  std::map<std::string, std::set<int64_t>> unseen_;  // values by schedule and knob; without those that were all seen
};

}  // namespace hone
