// The status of a tracker's fleet, for people.
#pragma once

#include <cstdint>

#include "rpc_runner/tracker/lease_rules.h"
#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

TrackerStatus StatusOf(const RunnerRegistry& runners, const WaitingClients& waiting, int64_t now_ns);

}  // namespace hone
