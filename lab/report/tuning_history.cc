#include "lab/report/tuning_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "lab/machine/device_name.h"

namespace hone {
namespace {

void Add(const TrialRow& row, TaskHistory& task) {
  if (task.trials == 0) task.first_unix_ms = row.unix_ms;
  task.last_unix_ms = std::max(task.last_unix_ms, row.unix_ms);
  ++task.trials;
  if (row.fate != Fate::kOk || row.noisy || row.min_ns <= 0) return;
  if (task.best_ns > 0 && row.min_ns >= task.best_ns) return;
  task.best_ns = row.min_ns;
  task.steps.push_back({task.trials, std::max<int64_t>(0, row.unix_ms - task.first_unix_ms), row.min_ns});
}

}  // namespace

StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only) {
  StoreHistory history;
  std::unordered_map<std::string, size_t> index;
  store.EachTrial({}, [&](const TrialRow& row) {
    ++history.records;
    const std::string device = MachineName(row);
    ++history.fates[device][row.fate];
    if (row.held > 0 || (!only.empty() && !only.contains(row.workload))) return;
    const std::string key = fmt::format("{}\n{}\n{}", row.workload, device, row.threads);
    const auto [it, is_new] = index.try_emplace(key, history.tasks.size());
    if (is_new) {
      history.tasks.emplace_back();
      history.tasks.back().workload = row.workload;
      history.tasks.back().device = device;
      history.tasks.back().threads = row.threads;
    }
    Add(row, history.tasks[it->second]);
  });
  std::stable_sort(history.tasks.begin(), history.tasks.end(),
                   [](const TaskHistory& a, const TaskHistory& b) { return a.trials > b.trials; });
  return history;
}

}  // namespace hone
