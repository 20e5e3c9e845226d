#include "tuner/trial.h"

#include "core/version.h"
#include "tuner/search/least_work.h"

namespace hone {
namespace {

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
