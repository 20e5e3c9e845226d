#include "lab/dashboard/watched_store.h"

#include <algorithm>

namespace hone {
namespace {

constexpr size_t kMost = 4096;

}  // namespace

void TrialRate::Count(int64_t unix_ms) {
  times_.insert(std::upper_bound(times_.begin(), times_.end(), unix_ms), unix_ms);
  while (times_.size() > kMost || times_.front() < times_.back() - kWindowMs) times_.pop_front();
}

double TrialRate::PerSecond(int64_t now_unix_ms) const {
  if (times_.size() < 2 || times_.back() < now_unix_ms - kWindowMs) return 0;
  const int64_t span_ms = std::max<int64_t>(times_.back() - times_.front(), 1);
  return 1e3 * static_cast<double>(times_.size() - 1) / static_cast<double>(span_ms);
}

int64_t WatchedRun::ModelNs() const {
  int64_t sum = 0;
  for (const WatchedTask& task : tasks) {
    if (task.uses <= 0 || task.best_ns <= 0) return 0;
    sum += task.uses * task.best_ns;
  }
  return sum;
}

int64_t WatchedRun::FirstModelNs() const {
  int64_t sum = 0;
  for (const WatchedTask& task : tasks) {
    if (task.uses <= 0 || task.first_ns <= 0) return 0;
    sum += task.uses * task.first_ns;
  }
  return sum;
}

int64_t WatchedRun::TasksTimed() const {
  return std::count_if(tasks.begin(), tasks.end(), [](const WatchedTask& task) { return task.best_ns > 0; });
}

void WatchedRun::NoteStep(int64_t unix_ms) {
  const int64_t ns = ModelNs();
  if (ns <= 0 || (!steps.empty() && steps.back().second <= ns)) return;
  steps.emplace_back(std::max<int64_t>(0, unix_ms - first_unix_ms), ns);
  if (steps.size() <= kMostSteps) return;
  // The first and the last step stay.
  std::vector<std::pair<int64_t, int64_t>> fewer;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % 2 == 0 || i + 1 == steps.size()) fewer.push_back(steps[i]);
  }
  steps = std::move(fewer);
}

}  // namespace hone
