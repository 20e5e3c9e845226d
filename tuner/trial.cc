#include "tuner/trial.h"

#include <map>
#include <utility>

#include "core/failure.h"
#include "core/machine/available_threads.h"
#include "core/version.h"
#include "tuner/search/least_work.h"
#include "tuner/tuning_task.h"

namespace hone {
namespace {

// `fate` is that of a failure which the candidate or its reference causes.
std::variant<Artifact, Rejection> Compiled(Fate fate,
                                           const std::function<std::variant<Artifact, Rejection>()>& compile) {
  try {
    return compile();
  } catch (const std::exception& error) {
    return FailureOf(error, fate);
  }
}

// The tasks whose reference could not be compiled, with the reason.
std::map<size_t, Rejection> CompileReferences(const TuneTools& tools, std::vector<TuningTask>& tasks,
                                              const Batch& batch) {
  std::map<size_t, const Candidate*> wanted;  // by task
  for (const auto& trial : batch) {
    if (!tasks[trial->task].reference) wanted[trial->task] = &trial->candidate;
  }
  const std::vector<std::pair<size_t, const Candidate*>> order(wanted.begin(), wanted.end());
  std::vector<std::variant<Artifact, Rejection>> built(order.size());
  ForEachOnThreads(tools.compile_workers, order.size(), [&](size_t i) {
    const Candidate& any = *order[i].second;
    // A failed reference is no candidate's fault.
    built[i] = Compiled(Fate::kCancelled, [&] { return tools.reference(any.workload, any.target); });
  });
  std::map<size_t, Rejection> failed;
  for (size_t i = 0; i < order.size(); ++i) {
    if (auto* artifact = std::get_if<Artifact>(&built[i])) {
      tasks[order[i].first].reference = std::move(*artifact);
    } else {
      failed[order[i].first] = std::get<Rejection>(built[i]);
    }
  }
  return failed;
}

void SetLayouts(Record& record, const Schedule& schedule) {
  const Candidate& candidate = record.candidate;
  const Epilogue epilogue = CanonicalEpilogue(candidate.workload);
  for (const KernelOperand& operand : schedule.Operands(candidate.workload, candidate.config, epilogue)) {
    if (operand.role == OperandRole::kData && record.input_layout.empty()) {
      record.input_layout = operand.layout.ToText();
    }
    if (operand.role == OperandRole::kOutput) record.output_layout = operand.layout.ToText();
  }
}

}  // namespace

Trial MakeTrial(const SearchSpace& space, const Workload& workload, const Proposal& proposal, const Target& target) {
  Trial trial;
  trial.proposal = proposal;
  trial.candidate = {workload, proposal.schedule, proposal.config, target};
  trial.schedule = space.Find(proposal.schedule);
  return trial;
}

void CompileBatch(const TuneTools& tools, const std::function<bool()>& halted, std::vector<TuningTask>& tasks,
                  Batch& batch) {
  const std::map<size_t, Rejection> unchecked = CompileReferences(tools, tasks, batch);
  ForEachOnThreads(tools.compile_workers, batch.size(), [&](size_t i) {
    Trial& trial = *batch[i];
    if (halted()) {
      trial.built = Rejection{Fate::kCancelled, ""};
    } else if (const auto it = unchecked.find(trial.task); it != unchecked.end()) {
      trial.built = it->second;
    } else {
      trial.built = Compiled(Fate::kCompileFailed, [&] { return tools.compile(trial.candidate); });
    }
  });
  std::erase_if(batch, [](const auto& trial) {
    const Rejection* rejection = std::get_if<Rejection>(&trial->built);
    return rejection != nullptr && rejection->fate == Fate::kCancelled && rejection->reason.empty();
  });
}

KernelJob MakeJob(const Trial& trial, const Artifact& reference, const std::vector<uint64_t>& seeds) {
  KernelJob job;
  job.artifact = std::get<Artifact>(trial.built);
  job.reference = reference;
  job.tolerance = trial.schedule->tolerance();
  job.seeds = seeds;
  job.timing = trial.timing;
  job.multiply_adds = LeastMultiplyAdds(trial.candidate.workload);
  return job;
}

Record MakeRecord(const Trial& trial, const std::string& session, const TuneTools& tools) {
  Record record;
  record.candidate = trial.candidate;
  record.threads = trial.timing.threads;
  record.schedule_version = trial.schedule->version();
  record.measurement = trial.measurement;
  record.timing = trial.timing;
  record.hone_version = HoneVersion();
  record.llvm_version = tools.llvm_version;
  record.unix_ms = tools.unix_ms();
  record.session = session;
  // A refused config may not even have layouts.
  if (const Artifact* artifact = std::get_if<Artifact>(&trial.built)) {
    record.artifact_sha256 = artifact->object_sha256;
    SetLayouts(record, *trial.schedule);
  }
  return Finish(std::move(record));
}

}  // namespace hone
