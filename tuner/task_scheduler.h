// Chooses the task that gets the next trials.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// The scheduler's input for a task.
struct TaskProgress {
  double uses = 1;            // in a run, on average
  int64_t best_ns = 0;        // 0 while no trial has worked
  double estimate_ns = 0;     // replaces best_ns while that is 0
  double gain_per_trial = 0;  // expected relative improvement; see GainRate
  int64_t trials = 0;
  bool stopped = false;
};

// A task's expected relative improvement per trial, as an exponentially weighted mean. It starts high and follows the
// gains of the trials, so it decays while they gain nothing.
class GainRate {
 public:
  // before_ns is the best before the trial, or 0 if there was none (the trial then has no effect); after_ns is the
  // best after it.
  void Observe(int64_t before_ns, int64_t after_ns);
  double per_trial() const { return rate_; }

 private:
  double rate_ = 0.02;  // as if the next fifteen trials gained 30 %
};

// The expected saving from `trials` more trials of every unstopped task, as a share of the tasks' model time (uses x
// best). Each trial is taken to gain as GainRate says. The result is 0 if no task has a time or an estimate.
double ExpectedGain(const std::vector<TaskProgress>& tasks, int trials);

// The index of the task whose next trials promise the largest saving: uses x best x expected improvement. The
// improvement counts as at least 1e-6 / trials, so tasks that have stopped gaining share the trials by their time. Of
// equals the first wins. The result is -1 when every task is stopped.
int NextTask(const std::vector<TaskProgress>& tasks);

}  // namespace hone
