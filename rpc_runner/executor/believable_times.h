// How far the times that a job's child reports may be believed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rpc_runner/executor/child_note.h"

namespace hone {

// Whether the note has 1 to kMaxNoteSamples samples, each of at least 1 ns and one run, that all fit one after the
// other into the wall_ns that the executor's own clock saw pass.
bool AreBelievable(const ChildNote& note, int64_t wall_ns);

// The sum of the times of calls, none of which is negative, when it fits into wall_ns; nothing otherwise.
std::optional<int64_t> BelievableSum(std::span<const int64_t> calls_ns, int64_t wall_ns);

}  // namespace hone
