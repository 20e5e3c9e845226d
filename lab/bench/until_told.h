// Whether the rounds of a benchmark suffice for verdicts.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/bench/timed_package.h"

namespace hone {

// Says that a benchmark goes on as long as a verdict cannot be told for sure.
class UntilTold {
 public:
  // The one that the others are judged against.
  enum class Against : uint8_t { kFirst, kLeast };

  // Its time ends `most_ns` after the first question.
  UntilTold(int64_t most_ns, double smallest_effect, Against against)
      : most_ns_(most_ns), smallest_effect_(smallest_effect), against_(against) {}

  // Those that have failed, and so have fewer rounds, are left out.
  bool operator()(const std::vector<TimedPackage>& timed);

 private:
  int64_t most_ns_;
  double smallest_effect_;
  Against against_;
  int64_t end_ns_ = 0;
};

}  // namespace hone
