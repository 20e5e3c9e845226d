// Judges whether a device is as fast as before, by the rules of docs/why/measuring.md, "Health". Knows no clock, kernel
// or file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/health/golden_kernel.h"

namespace hone {

enum class HealthState : uint8_t {
  kLearning,     // too few runs to judge: offered, and believed
  kHealthy,      // as fast as usual
  kDoubted,      // slow in the last runs: offered, but what it measures is marked noisy
  kQuarantined,  // slow for long enough to be sure: not offered
  kProbation,    // fast again, but not for long enough: not offered
};
// "learning", "healthy", "doubted", "quarantined", "probation".
std::string_view HealthStateName(HealthState state);

struct GoldenRun {
  int64_t at_ns = 0;           // of a clock that never decreases
  std::vector<int64_t> times;  // one per part, in ns
  double steal = 0;            // share of this machine's CPU time that a hypervisor took since the last run
};

// Times in ns.
struct HealthRules {
  int64_t usual_ns = 20'000'000'000;    // between runs
  int64_t learning_ns = 2'000'000'000;  // between runs while learning
  int64_t doubt_ns = 3'000'000'000;     // between runs while in doubt
  // The fast rule: a steady part is truly slow after so many slow runs in a row over so long a time.
  int fast_runs = 3;
  int64_t fast_ns = 15'000'000'000;
  // The patient rule, for any part. Neighbours slow caches and memory down by a fifth for minutes, so a part that is
  // not steady only counts as slow beyond unsteady_limit.
  double unsteady_limit = 1.25;
  int patient_runs = 10;
  int64_t patient_ns = 600'000'000'000;
  double most_steal = 0.05;  // a slow run with more steal does not count for the fast rule
  // A quarantined device is offered again after so many normal runs over so long a time. The time doubles, up to the
  // most, each time the device stayed healthy for less than the most.
  int probation_runs = 5;
  int64_t probation_ns = 60'000'000'000;
  int64_t most_probation_ns = 3'600'000'000'000;
};

// Not thread-safe.
class HealthJudge {
 public:
  HealthJudge(const HealthRules& rules, std::vector<GoldenPart> parts, GoldenHistory history);

  // Whether these times would raise or keep up a doubt. If so, it pays to repeat the run at once, since most
  // disturbances are over by then.
  bool IsSlow(const std::vector<int64_t>& times) const;
  void AddRun(const GoldenRun& run);
  // Quarantines for good: earlier measurements say nothing about this machine.
  void QuarantineForGood(const std::string& why);

  HealthState state() const { return state_; }
  bool may_be_offered() const { return state_ < HealthState::kQuarantined; }
  // The reason, as "golden kernel 6.1 % slower than usual (arithmetic)"; empty if there is no doubt.
  const std::string& why() const { return why_; }
  // The time between runs in the present state.
  int64_t spacing_ns() const;
  // The least slowdown that this device's steady parts can detect, 0.025 for 2.5 %; 0 while learning.
  double Sensitivity() const;
  const GoldenHistory& history() const { return history_; }

 private:
  // Runs in a row in which a part was slow.
  struct Streak {
    int runs = 0;
    int counted = 0;  // runs that the fast rule counts
    int64_t begin_ns = 0;
    int64_t least_ns = 0;
  };
  bool IsSlow(size_t part, int64_t time) const;
  void UpdateStreaks(const GoldenRun& run);
  bool IsSure(size_t part, int64_t now_ns) const;
  std::string Why(size_t part) const;
  void JudgeOffered(const GoldenRun& run);
  void JudgeQuarantined(const GoldenRun& run);
  void Quarantine(int64_t now_ns);

  const HealthRules rules_;
  const std::vector<GoldenPart> parts_;
  GoldenHistory history_;
  HealthState state_;
  std::string why_;
  std::vector<Streak> streaks_;
  std::vector<GoldenRun> doubtful_;  // kept out of the history until the doubt is decided
  std::vector<bool> slow_parts_;     // the parts that caused the quarantine
  bool for_good_ = false;
  int good_runs_ = 0;
  int64_t good_since_ns_ = 0, freed_ns_ = 0;
  int64_t probation_ns_;
};

}  // namespace hone
