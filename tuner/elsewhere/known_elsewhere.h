// The help of a store for a task: records that count as measured here, lessons from other records, and seeds from
// other tuners.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/machine/target.h"
#include "db/record.h"
#include "db/record_store.h"
#include "db/setup.h"
#include "tuner/search/search_space.h"
#include "tuner/search/strategy.h"

namespace hone {

// The setup in which a run measures.
struct MeasuredHere {
  Setup setup;
  std::vector<std::string> workloads;  // texts, of all tasks
};

// Whether a record of the space's workload, with these threads and this cache mode, counts as measured here. It must
// be of the target, this kind of machine and the present version of its schedule. A candidate that the compiler
// refused was on no machine and counts on all.
bool CountsHere(const Record& record, const SearchSpace& space, const MeasuredHere& here);

struct Lesson {
  SearchTask search;
  std::vector<Observation> observations;
};

// Whether times of one task are informative about the other.
bool Alike(const Workload& a, const Workload& b);
// The distance of two alike workloads in doublings, summed over all dimensions; half a doubling for another epilogue.
double DoublingsApart(const Workload& a, const Workload& b);

// Lessons from the task's own workload in at most kMostSetups other setups (threads, machines, code). More come from
// the kMostWorkloads nearest workloads that are not in the run, in any setup. Records count only if they worked, were
// not noisy and are of the schedules' present versions. Of another workload only the first kLooked records are read.
// Records of this setup itself are no lesson.
std::vector<Lesson> LessonsFrom(const RecordStore& store, const SearchTask& task, const MeasuredHere& here);
inline constexpr size_t kMostSetups = 4;
inline constexpr size_t kMostWorkloads = 3;
inline constexpr int64_t kLooked = 512;

// Suggestions from the logs of other tuners. At most `most` configs of the workload's space, the most promising first.
// They are the nearest to the fastest foreign trials in the store, on targets of the same architecture. Trials are of
// this workload with any epilogue and prologue. The fastest of each target come in turn, because times of different
// machines do not compare. Foreign times decide only this order.
std::vector<Proposal> ForeignSeeds(const RecordStore& store, const Workload& workload, const SearchSpace& space,
                                   const Target& target, size_t most = 4);

// The distance of a config from one for another tuner, in factors of two. It sums over the register tile's columns
// (oc_block x tile_oc, which machines split differently) and over the other knobs that `foreign` names.
double ForeignDistance(const Config& config, const Config& foreign);

}  // namespace hone
