// The note that a tracker gives to a runner, so that the runner can give it to the next tracker:
// docs/reference/protocol.md, "Leases", the `note`.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/tracker/runner_registry.h"

namespace hone {

// The longest time for which a runner may be held.
inline constexpr int64_t kMostHoldNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

// Empty if there is nothing to note.
std::string NoteFor(const RunnerEntry& runner, int64_t now_ns);
// Applies the note of an earlier tracker from the header of the runner's hello. Throws Error(kBadData), LimitExceeded.
void ApplyNote(RunnerEntry& runner, const Json& header, int64_t now_ns);

}  // namespace hone
