// A runner's hello as the tracker's entry for it: docs/protocol.md, "Leases".
#pragma once

#include <cstdint>

#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

// What the header says, as of a runner that nobody knew. Throws Error(kBadData), TooBig.
RunnerEntry EntryFromHello(const Caller& caller, const Json& header, int64_t now_ns);

// Gives `entry`, which is about to take the place of `known`, what the tracker knows better than the runner: an offer
// that its hello has crossed, the lease's client, holds, drains and what it is to become.
void KeepWhatIsKnown(const RunnerEntry& known, RunnerEntry* entry);

// Takes what its hello says of the program that it was to become. Throws Error(kBadData), TooBig.
void NoteUpgrade(const Json& header, RunnerEntry* entry);

}  // namespace hone
