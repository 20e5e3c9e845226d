// Plausibility checks of the times that a job's child reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rpc_runner/executor/judge/child_note.h"

namespace hone {

// Whether the note has 1 to kMaxNoteSamples samples, each of at least 1 ns and one run. One after another, they must
// fit into the wall_ns that the executor's own clock measured.
bool AreBelievable(const ChildNote& note, int64_t wall_ns);

// The sum of the calls' times. Nullopt if one is negative or the sum exceeds wall_ns.
std::optional<int64_t> BelievableSum(std::span<const int64_t> calls_ns, int64_t wall_ns);

}  // namespace hone
