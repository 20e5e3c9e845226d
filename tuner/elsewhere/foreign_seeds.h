// Suggestions for a task from other tuners' logs.
#pragma once

#include <cstddef>
#include <vector>

#include "core/machine/target.h"
#include "db/record_store.h"
#include "tuner/search/search_space.h"

namespace hone {

// At most `most` configs of the workload's space, the most promising first. They are the nearest to the fastest
// foreign trials in the store, on targets of the same architecture. Trials are of this workload with any epilogue and
// prologue. The fastest of each target come in turn, because times of different machines do not compare. Foreign times
// decide only this order.
std::vector<Proposal> ForeignSeeds(const RecordStore& store, const Workload& workload, const SearchSpace& space,
                                   const Target& target, size_t most = 4);

// The distance of a config from one for another tuner, in factors of two. It sums over the register tile's columns
// (oc_block x tile_oc, which machines split differently) and over the other knobs that `foreign` names.
double ForeignDistance(const Config& config, const Config& foreign);

}  // namespace hone
