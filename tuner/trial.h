// A candidate on its way through the tuning loop.
#pragma once

#include <cstddef>
#include <variant>

#include "compiler/compile_kernel.h"
#include "core/candidate.h"
#include "core/measurement.h"
#include "db/record.h"
#include "tuner/search/strategy.h"

namespace hone {

struct Trial {
  size_t task = 0;  // index in the run's tasks
  Proposal proposal;
  Candidate candidate;
  std::variant<Artifact, Rejection> built;
  TimingPolicy timing;
  Measurement measurement;
  bool done = false;  // measured, or refused by the compiler; never for a dropped or lost trial
};

// The fields of a record that are not in its trial.
struct RecordFrame {
  std::string session;
  std::string llvm_version;
  int64_t unix_ms = 0;
  const Schedule* schedule = nullptr;  // the candidate's
};
Record MakeRecord(const Trial& trial, const RecordFrame& frame);

}  // namespace hone
