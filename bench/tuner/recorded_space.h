// A task's whole space with the time of every valid config: what a search is judged on without hardware.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "core/target.h"
#include "core/workload.h"
#include "tuner/strategy.h"

namespace hone::bench {

struct RecordedConfig {
  Proposal proposal;
  int64_t estimate_ns = 0;  // the schedule's, when it was recorded
  int64_t min_ns = 0;       // 0: it failed
};

struct RecordedSpace {
  std::string name;  // the file's, without folder and ending; not written
  Workload workload;
  Target target;
  std::string cpu_model;
  std::vector<RecordedConfig> configs;  // those of one schedule lie together
  // The least time, or 0 when everything failed.
  int64_t BestNs() const;
};

// Lines of text: "hone-space 1"; "workload ...", "target ...", "cpu ..."; then for each schedule one line "schedule
// NAME KNOB ..." and a line per config: the knobs' values, the estimate and the least time in ns.
void WriteRecordedSpace(const RecordedSpace& space, std::ostream& out);
// Throws Error(kBadData) with the line's number.
RecordedSpace ReadRecordedSpace(std::istream& in);
// Every *.space file of a folder, by name. Throws Error(kNoInput) when there is none.
std::vector<RecordedSpace> ReadRecordedSpaces(const std::string& folder);

}  // namespace hone::bench
