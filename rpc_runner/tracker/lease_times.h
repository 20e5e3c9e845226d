// The times of docs/reference/protocol.md's "Leases".
#pragma once

#include <cstdint>

namespace hone {

inline constexpr int64_t kHeartbeatNs = 1'000'000'000;
inline constexpr int64_t kLostNs = 3'000'000'000;
inline constexpr int64_t kLeaseNs = 15'000'000'000;
// A tracker that answers no heartbeat for so long is connected to again.
inline constexpr int64_t kSilenceNs = 5'000'000'000;
// The least time between heartbeats that announce to the tracker a connection that it does not know yet.
inline constexpr int64_t kAnnounceNs = 200'000'000;

}  // namespace hone
