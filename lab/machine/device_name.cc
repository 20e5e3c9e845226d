#include "lab/machine/device_name.h"

#include <fmt/format.h>

#include "core/machine/llvm_cpu_name.h"

namespace hone {
namespace {

constexpr size_t kMostRunnersShown = 3;

std::string ModelName(const Record& record) {
  const Environment& environment = record.measurement.environment;
  if (!environment.cpu_model.empty()) return environment.cpu_model;
  const std::string llvm_cpu = LlvmCpuOf(environment);
  return llvm_cpu.empty() ? record.candidate.target.cpu : llvm_cpu;
}

}  // namespace

std::string MachineName(const Record& record) {
  const std::string id = FingerprintOf(record.measurement.environment).ShortId();
  return id.empty() ? ModelName(record) : fmt::format("{} #{}", ModelName(record), id);
}

std::string ModelName(const TrialRow& row) {
  if (!row.cpu_model.empty()) return row.cpu_model;
  return row.llvm_cpu.empty() ? row.cpu : row.llvm_cpu;
}

std::string MachineName(const TrialRow& row) {
  return row.device.empty() ? ModelName(row) : fmt::format("{} #{}", ModelName(row), row.device);
}

std::string MachineKey(const Record& record) {
  const Fingerprint fingerprint = FingerprintOf(record.measurement.environment);
  return fingerprint.known() ? fingerprint.ToText() : MachineName(record);
}

std::string MachineKey(const TrialRow& row) { return row.fingerprint.empty() ? MachineName(row) : row.fingerprint; }

std::string RunnerName(const Environment& environment) {
  return environment.key.empty() ? environment.host : environment.key + "/" + environment.label;
}

std::string RunnerName(const TrialRow& row) { return row.key.empty() ? row.host : row.key + "/" + row.label; }

std::string DeviceName(const std::string& machine, const std::set<std::string>& runners) {
  std::string names;
  size_t shown = 0;
  for (const std::string& runner : runners) {
    if (runner.empty()) continue;
    names += (names.empty() ? "" : ", ") + (shown < kMostRunnersShown ? runner : "...");
    if (++shown > kMostRunnersShown) break;
  }
  return names.empty() ? machine : fmt::format("{} ({})", machine, names);
}

std::string DeviceName(const Record& record) {
  return DeviceName(MachineName(record), {RunnerName(record.measurement.environment)});
}

std::string DeviceName(const TrialRow& row) { return DeviceName(MachineName(row), {RunnerName(row)}); }

}  // namespace hone
