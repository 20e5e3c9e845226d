// What other tuners' logs suggest for a task.
#pragma once

#include <cstddef>
#include <vector>

#include "core/target.h"
#include "db/record_store.h"
#include "tuner/search_space.h"

namespace hone {

// Configs of the workload's space, the most promising first, at most `most`: the nearest to those that were fastest in
// the store's foreign trials of the workload, whatever its epilogue and prologue, on a target of the same
// architecture. Each other target's fastest come in turn, since times of several machines say nothing of each other.
// The foreign times decide the order here and nothing else.
std::vector<Proposal> ForeignSeeds(const RecordStore& store, const Workload& workload, const SearchSpace& space,
                                   const Target& target, size_t most = 4);

// How far a config is from one that was meant for another tuner: in factors of two, over the register tile's columns
// (oc_block x tile_oc, whose split is the machine's) and over the other knobs that `foreign` names.
double ForeignDistance(const Config& config, const Config& foreign);

}  // namespace hone
