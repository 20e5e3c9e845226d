// How the trials of a task failed, while none has worked.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/tuner.h"

namespace hone {

class FailureTally {
 public:
  void Add(Fate fate, const std::string& message);
  // The fate that most trials met, and of its messages the one that most had; of equals the first in order. No trials:
  // nothing was added.
  FailureReport Commonest() const;

 private:
  struct Messages {
    int64_t trials = 0;
    std::map<std::string, int64_t> count;
  };
  std::map<Fate, Messages> fates_;
};

}  // namespace hone
