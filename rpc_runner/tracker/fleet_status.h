// The status of a tracker's fleet, for people and as numbers for Prometheus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "rpc_runner/tracker/lease_rules.h"
#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_state.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

struct TrackerNumbers {
  TrackerStatus status;
  TrackerCounts counts;
  int64_t relayed_frames = 0;
  int64_t relayed_bytes = 0;
  int64_t dropped_frames = 0;
  int64_t waiting_bytes = 0;  // for connections that have no room at the moment
  int64_t bad_frames = 0;
  int64_t up_ns = 0;
  std::map<std::string, int64_t> refused_keys = {};  // connections, by reason
};

// A label's value made printable, and escaped for that format.
std::string MetricsLabel(std::string_view text);

// The exposition format, version 0.0.4: prometheus.io/docs/instrumenting/exposition_formats.
std::string MetricsText(const TrackerNumbers& numbers);

TrackerStatus StatusOf(const RunnerRegistry& runners, const WaitingClients& waiting, int64_t now_ns);

}  // namespace hone
