// Who gets which runner, and who is to give one back: docs/protocol.md, "Many runners" and "Holding and draining".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/serialize.h"
#include "rpc_runner/tracker/runner_registry.h"

namespace hone {

using WaitingClients = std::deque<TrackerClient>;  // in the order of coming

struct LeaseMatch {
  size_t client = 0;  // its place in the list
  RunnerEntry* runner = nullptr;
};
// The next one to be served: of the highest priority, of those whose tuner has the fewest of the key, of those who came
// first. Nullopt: no free runner fits anybody.
std::optional<LeaseMatch> NextMatch(const WaitingClients& waiting, const RunnerRegistry& runners);

// Whether the holder of this lease should give one of its runners back, for it has more than its share.
bool ShouldYield(const RunnerEntry& runner, const WaitingClients& waiting, const RunnerRegistry& runners);
// Whether it must give back this one, since it was drained, or is held for another user.
bool MustYield(const RunnerEntry& runner);

// Runners of the client's key that it may have some day, free or not.
int64_t RunnersFor(const TrackerClient& client, const RunnerRegistry& runners);
// Those of its key that are of another kind: at most 16, as docs/protocol.md's `unlike`.
Json UnlikeRunners(const TrackerClient& client, const RunnerRegistry& runners);
// Those of its key and kind that it cannot have now and may have later: at most 16, as docs/protocol.md's `busy`.
Json BusyRunners(const TrackerClient& client, const RunnerRegistry& runners, int64_t now_ns);
// How many of the list are to be served before this one.
int64_t PlaceInQueue(const TrackerClient& client, const WaitingClients& waiting);

}  // namespace hone
