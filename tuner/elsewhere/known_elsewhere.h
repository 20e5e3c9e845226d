// Records of a store that help with a task although they were not measured for it.
#pragma once

#include <string>
#include <vector>

#include "db/record_store.h"
#include "tuner/elsewhere/measured_here.h"
#include "tuner/search/strategy.h"

namespace hone {

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

}  // namespace hone
