// When each device was there, and when it was not: docs/reference/protocol.md, "Availability".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// Knows devices by their key and label, beyond leases and reconnections. Not thread-safe.
class DeviceHistory {
 public:
  struct Change {
    std::string key, label, from, to;  // states as in DeviceAvailability; `from` is empty for a new device
    std::string why;                   // the doubt in its health, if there is one
  };
  // Notes the states at this time, in ms since 1970, and returns those that changed.
  std::vector<Change> Note(const TrackerStatus& status, int64_t now_ms);

  // All devices, as of the last Note.
  std::vector<DeviceAvailability> All() const;

 private:
  void Enter(DeviceAvailability& device, const std::string& state, const std::string& why, int64_t now_ms,
             std::vector<Change>& changes);

  std::map<std::pair<std::string, std::string>, DeviceAvailability> devices_;  // by key and label
  int64_t noted_ms_ = 0;
};

// Two samples for each device, in the exposition format of Prometheus.
std::string AvailabilityMetrics(const std::vector<DeviceAvailability>& devices);

}  // namespace hone
