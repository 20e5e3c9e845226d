// Decides who gets which runner, and who should give one back: docs/reference/protocol.md, "Many runners" and "Holding
// and draining".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/json/serialize.h"
#include "rpc_runner/tracker/runner_registry.h"

namespace hone {

using WaitingClients = std::deque<TrackerClient>;  // in the order of arrival

struct LeaseMatch {
  size_t client = 0;  // index in the list
  RunnerEntry* runner = nullptr;
};
// The next client to be served: by the highest priority, then by the fewest runners of the key for its tuner, then by
// arrival. Nullopt if no free runner fits any client.
std::optional<LeaseMatch> NextMatch(const WaitingClients& waiting, const RunnerRegistry& runners);

// Whether the holder of this lease should give one of its runners back, because it has more than its share.
bool ShouldYield(const RunnerEntry& runner, const WaitingClients& waiting, const RunnerRegistry& runners);
// Whether the holder must give back this runner, because it is drained or held for another user.
bool MustYield(const RunnerEntry& runner);

// The number of runners of the client's key that it may get at some time, free or not.
int64_t RunnersFor(const TrackerClient& client, const RunnerRegistry& runners);
// The runners of its key that are of another kind: at most 16, as docs/reference/protocol.md's `unlike`.
Json UnlikeRunners(const TrackerClient& client, const RunnerRegistry& runners);
// The runners of its key and kind that it cannot have yet: at most 16, as docs/reference/protocol.md's `busy`.
Json BusyRunners(const TrackerClient& client, const RunnerRegistry& runners, int64_t now_ns);
// The number of clients in the list that are served before this one.
int64_t PlaceInQueue(const TrackerClient& client, const WaitingClients& waiting);

}  // namespace hone
