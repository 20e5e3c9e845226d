#include "lab/comparison/store_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/text/parse_number.h"
#include "db/verdicts/worth_by_finals.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

ComparedDevice DeviceOf(const TrialRow& row) {
  ComparedDevice device;
  device.setup = SetupKey(row);
  device.machine = row.device.empty() ? MachineName(row) : row.fingerprint;
  device.short_id = row.device;
  device.cpu_model = ModelName(row);
  device.llvm_cpu = row.llvm_cpu;
  device.target.triple = row.triple;
  device.target.cpu = row.cpu;
  for (const std::string_view feature : Split(row.features, ',')) {
    if (!feature.empty()) device.target.features.emplace_back(feature);
  }
  device.threads = row.threads;
  device.cache = CacheModeName(row.cache);
  device.emulated = row.emulated;
  return device;
}

void AddPlace(const TrialRow& row, ComparedDevice& device) {
  device.runners.insert(RunnerName(row));
  device.hosts.insert(row.host);
  if (row.key.empty()) return;
  device.keys.insert(row.key);
  device.labels.insert(row.label);
}

}  // namespace

std::string SetupKey(const TrialRow& row) {
  const std::string machine = row.device.empty() ? MachineName(row) : row.fingerprint;
  return fmt::format("{}\n{}\n{}\n{}\n{}", machine, row.cpu, row.features, row.threads, CacheModeName(row.cache));
}

void WorkloadRows::Add(const TrialRow& row) {
  ++trials_;
  if (row.fate != Fate::kOk || row.min_ns <= 0) return;
  if (row.noisy) {
    if (noisy_ns_ == 0 || row.min_ns < noisy_ns_) {
      noisy_ns_ = row.min_ns;
      noisy_id_ = row.id;
    }
    return;
  }
  const auto is_kept = [&](int64_t ns, int held) {
    return held > 0 || static_cast<double>(ns) <= kKept * static_cast<double>(least_ns_);
  };
  if (least_ns_ == 0 || row.min_ns < least_ns_) {
    least_ns_ = row.min_ns;
    std::erase_if(rows_, [&](const BestRow& kept) { return !is_kept(kept.min_ns, kept.held); });
  }
  if (!is_kept(row.min_ns, row.held)) return;
  BestRow kept;  // without setup: it is the device's, equal for all
  kept.seq = row.seq;
  kept.id = RecordId(row.id);
  kept.min_ns = row.min_ns;
  kept.session = row.session;
  kept.candidate = CandidateText(row.schedule, row.config);
  kept.held = row.held;
  kept.place = row.place;
  rows_.push_back(std::move(kept));
}

std::string WorkloadRows::BestId(bool* noisy) const {
  *noisy = rows_.empty() && !noisy_id_.empty();
  if (rows_.empty()) return noisy_id_;
  std::vector<BestRow> rows = rows_;
  WorthByFinals(rows);
  const auto best = std::min_element(rows.begin(), rows.end(), [](const BestRow& a, const BestRow& b) {
    return std::tuple(a.worth_ns, a.held == 0, a.min_ns) < std::tuple(b.worth_ns, b.held == 0, b.min_ns);
  });
  return best->id.text();
}

std::vector<StoreDevice> DevicesOf(const RecordStore& store, const RecordQuery& query) {
  std::vector<StoreDevice> devices;
  std::unordered_map<std::string, size_t> index;
  store.EachTrial(query, [&](const TrialRow& row) {
    const auto [it, is_new] = index.try_emplace(SetupKey(row), devices.size());
    if (is_new) devices.push_back({DeviceOf(row), {}});
    StoreDevice& found = devices[it->second];
    AddPlace(row, found.device);
    found.workloads[row.workload].Add(row);
  });
  for (StoreDevice& found : devices) {
    const std::string& id = found.device.short_id;
    const std::string machine = id.empty() ? found.device.machine : fmt::format("{} #{}", found.device.cpu_model, id);
    found.device.name = DeviceName(machine, found.device.runners);
  }
  return devices;
}

}  // namespace hone
