// A tracker's numbers in Prometheus' text form.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/tracker/tracker_state.h"

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
};

// The exposition format, version 0.0.4: prometheus.io/docs/instrumenting/exposition_formats.
std::string MetricsText(const TrackerNumbers& numbers);

}  // namespace hone
