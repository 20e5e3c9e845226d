// A benchmark's row: what was to be reached, what was, and whether that is enough.
#pragma once

#include <fmt/format.h>

#include <string>

namespace hone::bench {

// Prints "what  goal  reached  verdict" and keeps whether all were met.
class Verdicts {
 public:
  void AtMost(const std::string& what, double goal, double reached) {
    Print(what, "<=", goal, reached, reached <= goal);
  }
  void AtLeast(const std::string& what, double goal, double reached) {
    Print(what, ">=", goal, reached, reached >= goal);
  }
  bool all_met() const { return all_met_; }

 private:
  void Print(const std::string& what, const char* relation, double goal, double reached, bool met) {
    all_met_ = all_met_ && met;
    fmt::print("{:<68} {} {:<7.4g} {:>8.4g}  {}\n", what, relation, goal, reached, met ? "met" : "MISSED");
  }
  bool all_met_ = true;
};

}  // namespace hone::bench
