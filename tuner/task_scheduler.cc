#include "tuner/task_scheduler.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kWeight = 1.0 / 16;  // weight of the newest trial
constexpr double kLeast = 1e-6;  // gain per trial of the first: the n-th random draw is the best with probability 1 / n

double ModelNs(const TaskProgress& task) {
  return task.uses * (task.best_ns > 0 ? static_cast<double>(task.best_ns) : task.estimate_ns);
}

double Promise(const TaskProgress& task) {
  const double least = kLeast / static_cast<double>(std::max<int64_t>(1, task.trials));
  return ModelNs(task) * std::max(task.gain_per_trial, least);
}

}  // namespace

void GainRate::Observe(int64_t before_ns, int64_t after_ns) {
  if (before_ns == 0) return;
  const double gain = static_cast<double>(before_ns - after_ns) / static_cast<double>(before_ns);
  rate_ += kWeight * (std::max(gain, 0.0) - rate_);
}

double ExpectedGain(const std::vector<TaskProgress>& tasks, int trials) {
  double saved_ns = 0, all_ns = 0;
  for (const TaskProgress& task : tasks) {
    all_ns += ModelNs(task);
    if (!task.stopped) saved_ns += ModelNs(task) * (1 - std::pow(1 - task.gain_per_trial, trials));
  }
  return all_ns > 0 ? saved_ns / all_ns : 0;
}

int NextTask(const std::vector<TaskProgress>& tasks) {
  int best = -1;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].stopped) continue;
    if (best < 0 || Promise(tasks[i]) > Promise(tasks[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace hone
