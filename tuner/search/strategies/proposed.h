// The proposals that a strategy must not repeat.
#pragma once

#include <set>
#include <string>

#include "tuner/search/search_space.h"

namespace hone {

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
