// A candidate on its way through the tuning loop: proposed, compiled, measured and recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/compile_kernel.h"
#include "core/candidate.h"
#include "core/measurement.h"
#include "db/record.h"
#include "rpc_runner/runner.h"
#include "tuner/search/search_space.h"
#include "tuner/tune_tools.h"

namespace hone {

class TuningTask;

struct Trial {
  size_t task = 0;  // index in the run's tasks
  Proposal proposal;
  Candidate candidate;
  const Schedule* schedule = nullptr;  // the candidate's
  std::variant<Artifact, Rejection> built;
  TimingPolicy timing;
  Measurement measurement;
  bool done = false;  // measured, or refused by the compiler; never for a dropped or lost trial
  // Set by BatchMeasurer.
  int64_t batch = 0;  // number of its batch, in order of measuring; 0 before that begins
  int lost = 0;       // attempts whose runner was lost
  int repeats = 0;    // repetitions because a measurement was too noisy
};

// Trials that are compiled and measured together. Compiler, queue and learner share each trial, which never moves.
using Batch = std::vector<std::shared_ptr<Trial>>;

// A trial of the proposal, not yet built. The space must know the proposal's schedule.
Trial MakeTrial(const SearchSpace& space, const Workload& workload, const Proposal& proposal, const Target& target);
// Compiles every trial, and the references that their tasks still lack, on tools.compile_workers threads. A trial's
// `built` has its rejection. Without its task's reference a trial is Cancelled, because that is no candidate's fault.
// Trials that were not begun when halted() became true are removed from the batch.
void CompileBatch(const TuneTools& tools, const std::function<bool()>& halted, std::vector<TuningTask>& tasks,
                  Batch& batch);

// The job that measures a built trial. `reference` and `seeds` are for its checks.
KernelJob MakeJob(const Trial& trial, const Artifact& reference, const std::vector<uint64_t>& seeds);
// The record of a measured or refused trial in the session. The tools tell LLVM's version and the time.
Record MakeRecord(const Trial& trial, const std::string& session, const TuneTools& tools);

}  // namespace hone
