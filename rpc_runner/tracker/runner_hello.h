// Turns a runner's hello into the tracker's entry, and keeps the note that outlives a tracker:
// docs/reference/protocol.md, "Leases".
#pragma once

#include <cstdint>
#include <string>

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

// The longest time for which a runner may be held.
inline constexpr int64_t kMostHoldNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

// The note that a tracker gives to a runner, so that the runner can give it to the next tracker. Empty if there is
// nothing to note.
std::string NoteFor(const RunnerEntry& runner, int64_t now_ns);
// Applies the note of an earlier tracker from the header of the runner's hello. Throws Error(kBadData), LimitExceeded.
void ApplyNote(RunnerEntry& runner, const Json& header, int64_t now_ns);

}  // namespace hone
