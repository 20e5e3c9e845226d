#include "cli/compare_devices.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/best_records.h"
#include "cli/device_name.h"

namespace hone {
namespace {

DeviceRow& RowOf(std::vector<DeviceRow>& rows, const Record& record) {
  DeviceRow own;
  own.machine = MachineName(record);
  own.key = MachineKey(record);
  own.cpu = record.candidate.target.cpu;
  own.threads = record.threads;
  own.cache = record.timing.cache;
  for (DeviceRow& row : rows) {
    if (row.key == own.key && row.cpu == own.cpu && row.threads == own.threads && row.cache == own.cache) return row;
  }
  return rows.emplace_back(std::move(own));
}

}  // namespace

std::vector<DeviceRow> CompareDevices(const std::vector<Task>& tasks, const std::vector<Record>& records) {
  std::map<std::string, const Task*> by_text;
  for (const Task& task : tasks) by_text[task.workload.ToText()] = &task;
  std::vector<DeviceRow> rows;
  for (const Record& record : BestOf(records)) {
    const auto found = by_text.find(record.candidate.workload.ToText());
    if (found == by_text.end()) continue;
    DeviceRow& row = RowOf(rows, record);
    row.runners.insert(RunnerName(record.measurement.environment));
    row.expected_ns += found->second->uses * record.measurement.MinNs();
    row.covered_flops += found->second->uses * found->second->workload.Flops();
    ++row.covered;
  }
  const int all = static_cast<int>(tasks.size());
  std::stable_sort(rows.begin(), rows.end(), [](const DeviceRow& a, const DeviceRow& b) {
    return std::make_tuple(-a.covered, a.expected_ns) < std::make_tuple(-b.covered, b.expected_ns);
  });
  for (DeviceRow& row : rows) {
    if (row.covered == all)
      row.vs_best = static_cast<double>(row.expected_ns) / static_cast<double>(rows.front().expected_ns);
  }
  return rows;
}

}  // namespace hone
