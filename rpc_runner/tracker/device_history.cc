#include "rpc_runner/tracker/device_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "rpc_runner/tracker/fleet_status.h"

namespace hone {
namespace {

constexpr size_t kMostDevices = 8'192, kMostStates = 64;

// Free, busy and drained devices are all there.
std::string StateOf(const RunnerInfo& runner) {
  const bool is_away = runner.state == "lost" || runner.state == "quarantined" || runner.state == "probation";
  return is_away ? runner.state : "there";
}

}  // namespace

std::vector<DeviceHistory::Change> DeviceHistory::Note(const TrackerStatus& status, int64_t now_ms) {
  std::vector<Change> changes;
  for (auto& [name, device] : devices_) {
    const std::string& state = device.states.back().state;
    const int64_t passed_ms = noted_ms_ > 0 ? std::max<int64_t>(0, now_ms - noted_ms_) : 0;
    if (state != "left") device.known_ms += passed_ms;
    if (state == "there") device.there_ms += passed_ms;
  }
  noted_ms_ = now_ms;
  std::map<std::pair<std::string, std::string>, const RunnerInfo*> here;
  for (const RunnerInfo& runner : status.runners) {
    const RunnerInfo*& known = here[{runner.key, runner.label}];
    // A device that was started again may be there twice for a while, lost and connected.
    if (known == nullptr || known->state == "lost") known = &runner;
  }
  for (const auto& [name, runner] : here) {
    if (!devices_.contains(name) && devices_.size() >= kMostDevices) continue;
    DeviceAvailability& device = devices_[name];
    device.key = name.first;
    device.label = name.second;
    Enter(device, StateOf(*runner), runner->health, now_ms, changes);
  }
  for (auto& [name, device] : devices_) {
    // A tracker forgets a lost runner after a while, and it stays lost. Others have said bye.
    if (!here.contains(name) && device.states.back().state != "lost") Enter(device, "left", "", now_ms, changes);
  }
  return changes;
}

void DeviceHistory::Enter(DeviceAvailability& device, const std::string& state, const std::string& why, int64_t now_ms,
                          std::vector<Change>& changes) {
  const std::string from = device.states.empty() ? "" : device.states.back().state;
  if (state == from) return;
  changes.push_back({device.key, device.label, from, state, why});
  device.states.push_back({now_ms, state});
  if (device.states.size() > kMostStates) device.states.erase(device.states.begin());
}

std::vector<DeviceAvailability> DeviceHistory::All() const {
  std::vector<DeviceAvailability> all;
  for (const auto& [name, device] : devices_) all.push_back(device);
  return all;
}

std::string AvailabilityMetrics(const std::vector<DeviceAvailability>& devices) {
  const auto samples = [&](const char* name, const char* help, int64_t DeviceAvailability::* ms) {
    std::string text = fmt::format("# HELP {0} {1}\n# TYPE {0} counter\n", name, help);
    for (const DeviceAvailability& device : devices) {
      text += fmt::format("{}{{key=\"{}\",label=\"{}\"}} {}\n", name, MetricsLabel(device.key),
                          MetricsLabel(device.label), device.*ms / 1000);
    }
    return text;
  };
  return samples("hone_tracker_device_known_seconds_total", "Time in which a device should have been there.",
                 &DeviceAvailability::known_ms) +
         samples("hone_tracker_device_there_seconds_total", "Time in which a device was there.",
                 &DeviceAvailability::there_ms);
}

}  // namespace hone
