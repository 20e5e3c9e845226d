// What a store knows that helps with a task without being of it.
#pragma once

#include <string>
#include <vector>

#include "db/record_store.h"
#include "tuner/measured_here.h"
#include "tuner/strategy.h"

namespace hone {

struct Lesson {
  SearchTask search;
  std::vector<Observation> observations;
};

// Whether one task's times say something about the other's.
bool Alike(const Workload& a, const Workload& b);
// How many doublings two that are alike are apart, over all their dimensions; half a one for another epilogue.
double DoublingsApart(const Workload& a, const Workload& b);

// Of the task's own workload what was measured in other setups (threads, machines, code), at most kMostSetups of
// them; of the workloads that the run has not, the kMostWorkloads nearest in shape, wherever they were measured. Only
// what worked, was not noisy, and is of the schedules' present versions. Of another workload it looks at the first
// kLooked records. What is measured here itself is no lesson.
std::vector<Lesson> LessonsFrom(const RecordStore& store, const SearchTask& task, const MeasuredHere& here);
inline constexpr size_t kMostSetups = 4;
inline constexpr size_t kMostWorkloads = 3;
inline constexpr int64_t kLooked = 512;

}  // namespace hone
