// A task's whole space with the time of every valid config, to judge searches without hardware.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone::bench {

inline constexpr int64_t kRejected = -1;  // by the schedule, before compilation
inline constexpr int64_t kFailed = 0;     // compiled or run without a time

// One schedule's share of the space.
struct RecordedPart {
  std::string schedule;
  ConfigSpace space;
  std::vector<int64_t> times_ns;  // least time in ns by index in space, or kRejected, or kFailed
};

struct RecordedSpace {
  std::string name;  // the file's name, without folder and ending; not written
  Workload workload;
  Target target;
  std::string cpu_model;
  std::vector<RecordedPart> parts;
  // The least time in ns, or 0 if all configs failed.
  int64_t BestNs() const;
  // The number of configs that were not rejected.
  int64_t valid() const;
};

// Writes the text form of docs/reference/formats.md, "Recorded spaces".
void WriteRecordedSpace(const RecordedSpace& space, std::ostream& out);
// Throws Error(kBadData) with the line number.
RecordedSpace ReadRecordedSpace(std::istream& in);
// Reads every *.space file of a folder, by name. Throws Error(kNoInput) if there is none.
std::vector<RecordedSpace> ReadRecordedSpaces(const std::string& folder);

}  // namespace hone::bench
