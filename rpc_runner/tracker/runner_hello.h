// Turns a runner's hello into the tracker's entry: docs/reference/protocol.md, "Leases".
#pragma once

#include <cstdint>

#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

// The entry that the header describes, as for an unknown runner. Throws Error(kBadData), LimitExceeded.
RunnerEntry EntryFromHello(const Caller& caller, const Json& header, int64_t now_ns);

// Copies into `entry`, which will replace `known`, what the tracker knows better than the runner. This is an offer that
// crossed the hello, the lease's client, holds, drains and a pending upgrade.
void MergeKnown(const RunnerEntry& known, RunnerEntry* entry);

// Notes what the hello says about the requested upgrade. Throws Error(kBadData), LimitExceeded.
void NoteUpgrade(const Json& header, RunnerEntry* entry);

}  // namespace hone
