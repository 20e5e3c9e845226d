// Whether a device is as fast as it was: the rules of docs/measuring.md, "Health", without clock, kernel or file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/health/golden_kernel.h"

namespace hone {

enum class HealthState : uint8_t {
  kLearning,     // too few runs to judge by: offered, and believed
  kHealthy,      // as it always was
  kDoubted,      // slow in the last runs: offered, but what it measures is marked noisy
  kQuarantined,  // slow for long enough to be sure: not offered
  kProbation,    // as fast as ever again, but not for long enough: not offered
};
// "learning", "healthy", "doubted", "quarantined", "probation".
std::string_view HealthStateName(HealthState state);

struct GoldenRun {
  int64_t at_ns = 0;           // of a clock that never falls
  std::vector<int64_t> times;  // one of each part, in ns
  double steal = 0;            // share of our cores' time that a hypervisor took since the run before
};

// Times in ns.
struct HealthRules {
  int64_t usual_ns = 20'000'000'000;    // from run to run
  int64_t learning_ns = 2'000'000'000;  // the same while learning
  int64_t doubt_ns = 3'000'000'000;     // the same while in doubt
  // A steady part that is slow in so many runs in a row, over so long, is slow and not disturbed.
  int fast_runs = 3;
  int64_t fast_ns = 15'000'000'000;
  // The same of any part. Neighbours slow caches and memory down for minutes, by a fifth, so those that are not steady
  // must be slower than this before that says anything.
  double unsteady_limit = 1.25;
  int patient_runs = 10;
  int64_t patient_ns = 600'000'000'000;
  double most_steal = 0.05;  // a slow run with more of it says nothing for the fast rule
  // As fast as usual so often and for so long before it is offered again; twice as long each time that it did not last
  // as long as the most.
  int probation_runs = 5;
  int64_t probation_ns = 60'000'000'000;
  int64_t most_probation_ns = 3'600'000'000'000;
};

// Not thread-safe.
class HealthJudge {
 public:
  HealthJudge(const HealthRules& rules, std::vector<GoldenPart> parts, GoldenHistory history);

  // Whether these times would raise or keep up a doubt: worth a second run at once, which most neighbours do not reach.
  bool IsSlow(const std::vector<int64_t>& times) const;
  void Take(const GoldenRun& run);
  // Quarantines for good: what was measured before says nothing of this machine.
  void Condemn(const std::string& why);

  HealthState state() const { return state_; }
  bool may_be_offered() const { return state_ < HealthState::kQuarantined; }
  // "golden kernel 6.1 % slower than usual (arithmetic)"; empty while nothing speaks against it.
  const std::string& why() const { return why_; }
  // From one run to the next now.
  int64_t spacing_ns() const;
  // The least slowdown that the steady parts of this device can tell, 0.025 for 2.5 %; 0 while learning.
  double Tells() const;
  const GoldenHistory& history() const { return history_; }

 private:
  // Runs in a row in which a part was slow.
  struct Streak {
    int runs = 0;
    int counted = 0;  // those that the fast rule counts
    int64_t begin_ns = 0;
    int64_t least_ns = 0;
  };
  bool IsSlow(size_t part, int64_t time) const;
  void Follow(const GoldenRun& run);
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
  std::vector<GoldenRun> doubtful_;  // not in the history until it is known what they were
  std::vector<bool> accused_;        // the parts for which it is quarantined
  bool condemned_ = false;
  int good_runs_ = 0;
  int64_t good_since_ns_ = 0, freed_ns_ = 0;
  int64_t probation_ns_;
};

}  // namespace hone
