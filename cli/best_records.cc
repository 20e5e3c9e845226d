#include "cli/best_records.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "cli/device_name.h"
#include "db/worth_by_finals.h"

namespace hone {

std::vector<Record> BestOf(const std::vector<Record>& records) {
  using Key = std::tuple<std::string, std::string, std::string, int, CacheMode>;
  std::map<Key, std::vector<BestRow>> groups;
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const Measurement& m = record.measurement;
    if (m.fate != Fate::kOk || m.noisy || m.environment.emulated || m.MinNs() <= 0) continue;
    const Key key(record.candidate.workload.ToText(), MachineKey(record), record.candidate.target.cpu, record.threads,
                  record.timing.cache);
    groups[key].push_back(BestRowOf(record, static_cast<int64_t>(i)));
  }
  std::vector<Record> result;
  for (auto& [key, rows] : groups) {
    WorthByFinals(rows);
    const auto best = std::min_element(rows.begin(), rows.end(), [](const BestRow& a, const BestRow& b) {
      return std::tuple(a.worth_ns, a.held == 0, a.min_ns) < std::tuple(b.worth_ns, b.held == 0, b.min_ns);
    });
    result.push_back(records[static_cast<size_t>(best->seq)]);
  }
  return result;
}

}  // namespace hone
