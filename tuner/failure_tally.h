// Counts the failures of a task's trials while none has worked.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/tuner.h"

namespace hone {

class FailureTally {
 public:
  void Add(Fate fate, const std::string& message);
  // The commonest fate, and the commonest of its messages; of equals the first in order. `trials` is 0 if nothing was
  // added.
  FailureReport Commonest() const;

 private:
  struct Messages {
    int64_t trials = 0;
    std::map<std::string, int64_t> count;
  };
  std::map<Fate, Messages> fates_;
};

}  // namespace hone
