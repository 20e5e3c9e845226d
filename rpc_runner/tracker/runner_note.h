// What a tracker tells a runner about itself, so that the runner can tell the next tracker: docs/protocol.md, "Leases",
// the `note`.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/tracker/runner_registry.h"

namespace hone {

// For at most so long a runner is held.
inline constexpr int64_t kMostHoldNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

// Empty where there is nothing to tell.
std::string NoteOf(const RunnerEntry& runner, int64_t now_ns);
// What a tracker before us had said of it, from the header of its hello. Throws Error(kBadData), TooBig.
void TakeNote(RunnerEntry& runner, const Json& header, int64_t now_ns);

}  // namespace hone
