// A task's whole space with the time of every valid config: what a search is judged on without hardware.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "core/config_space.h"
#include "core/target.h"
#include "core/workload.h"

namespace hone::bench {

inline constexpr int64_t kRejected = -1;  // by the schedule, before anything was compiled
inline constexpr int64_t kFailed = 0;     // compiled or run without a time

// One schedule's share of the space.
struct RecordedPart {
  std::string schedule;
  ConfigSpace space;
  std::vector<int64_t> times_ns;  // least time by index in space, or kRejected, or kFailed
};

struct RecordedSpace {
  std::string name;  // the file's, without folder and ending; not written
  Workload workload;
  Target target;
  std::string cpu_model;
  std::vector<RecordedPart> parts;
  // The least time, or 0 when everything failed.
  int64_t BestNs() const;
  // Configs that were not rejected.
  int64_t valid() const;
};

// Text, as docs/formats.md describes it under "Recorded spaces".
void WriteRecordedSpace(const RecordedSpace& space, std::ostream& out);
// Throws Error(kBadData) with the line's number.
RecordedSpace ReadRecordedSpace(std::istream& in);
// Every *.space file of a folder, by name. Throws Error(kNoInput) when there is none.
std::vector<RecordedSpace> ReadRecordedSpaces(const std::string& folder);

}  // namespace hone::bench
