// A benchmark's rows: goal, reached and verdict.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "bench/tuner/bounds.h"

namespace hone::bench {

// Prints "what  goal  reached  verdict". A miss is "bounded" if a bound names the row and the result is within a tenth
// of the bound's figure. Any other miss is MISSED, and all_met() becomes false.
class Verdicts {
 public:
  explicit Verdicts(Bounds bounds = {}) : bounds_(std::move(bounds)) {}
  void AtMost(const std::string& what, double goal, double reached) {
    const Bound* bound = BoundOf(what);
    Print(what, "<=", goal, reached, reached <= goal, bound != nullptr && reached <= 1.1 * bound->reached);
  }
  void AtLeast(const std::string& what, double goal, double reached) {
    const Bound* bound = BoundOf(what);
    Print(what, ">=", goal, reached, reached >= goal, bound != nullptr && reached >= 0.9 * bound->reached);
  }
  // False if a row was missed without a bound.
  bool all_met() const { return all_met_; }

 private:
  const Bound* BoundOf(const std::string& what) const {
    const auto bound = bounds_.find(what);
    return bound == bounds_.end() ? nullptr : &bound->second;
  }
  void Print(const std::string& what, const char* relation, double goal, double reached, bool met, bool bounded) {
    all_met_ = all_met_ && (met || bounded);
    fmt::print("{:<68} {} {:<7.4g} {:>8.4g}  {}\n", what, relation, goal, reached,
               met       ? "met"
               : bounded ? "bounded: " + BoundOf(what)->what
                         : "MISSED");
  }

  Bounds bounds_;
  bool all_met_ = true;
};

}  // namespace hone::bench
