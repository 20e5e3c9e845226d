#include "cli/best_records.h"

#include <map>
#include <tuple>

namespace hone {

std::string DeviceName(const Record& record) {
  const std::string& model = record.measurement.environment.cpu_model;
  return model.empty() ? record.candidate.target.cpu : model;
}

std::vector<Record> BestOf(const std::vector<Record>& records) {
  using Key = std::tuple<std::string, std::string, std::string, int, CacheMode>;
  std::map<Key, const Record*> best;
  for (const Record& record : records) {
    const Measurement& m = record.measurement;
    if (m.fate != Fate::kOk || m.noisy || m.MinNs() <= 0) continue;
    const Key key(record.candidate.workload.ToText(), DeviceName(record), record.candidate.target.cpu, record.threads,
                  record.timing.cache);
    const Record*& held = best[key];
    if (held == nullptr || m.MinNs() < held->measurement.MinNs()) held = &record;
  }
  std::vector<Record> result;
  for (const auto& [key, record] : best) result.push_back(*record);
  return result;
}

}  // namespace hone
