// Which task gets the next trials.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// What the scheduler looks at.
struct TaskProgress {
  int uses = 1;
  int64_t best_ns = 0;        // 0 while nothing has worked
  double estimate_ns = 0;     // stands in for best_ns while that is 0
  double gain_per_trial = 0;  // expected relative improvement, see GainRate
  int64_t trials = 0;
  bool stopped = false;
};

// A task's expected relative improvement per trial: begins hopeful and follows what its trials bring, so that it decays
// while they bring nothing (an exponentially weighted mean).
class GainRate {
 public:
  // before_ns: the best before the trial, 0 when there was none (the trial says nothing then); after_ns: after it.
  void Observe(int64_t before_ns, int64_t after_ns);
  double per_trial() const { return rate_; }

 private:
  double rate_ = 0.02;  // as if the next fifteen trials gained 30 %
};

// The share of the tasks' model time (uses x best) that `trials` more trials of every task that is not stopped are
// expected to save, were each to gain as GainRate says. 0 when nothing is known of any.
double ExpectedGain(const std::vector<TaskProgress>& tasks, int trials);

// The index of the task whose next trials promise the most model time: uses x best x expected improvement, which is
// never taken for less than 1e-6 / trials, so that tasks that gain nothing any more share the trials by their time. -1
// when every task is stopped. The first of equals.
int NextTask(const std::vector<TaskProgress>& tasks);

}  // namespace hone
