// One maker per strategy, for the table in strategy.cc, and what strategies share.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "tuner/search/search_space.h"
#include "tuner/search/strategy.h"

namespace hone {

std::unique_ptr<Strategy> MakeEvolutionary(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeGrid(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeModelGuided(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeRandomSearch(const SearchTask& task, uint64_t seed);

// The proposals that a strategy must not repeat.
class Proposed {
 public:
  explicit Proposed(const SearchSpace& space) : space_(space) {}
  bool Contains(const Proposal& proposal) const { return keys_.count(space_.Key(proposal)) != 0; }
  // Returns false if it was there already.
  bool Add(const Proposal& proposal) { return keys_.insert(space_.Key(proposal)).second; }

 private:
  const SearchSpace& space_;
  std::set<std::string> keys_;
};

}  // namespace hone
