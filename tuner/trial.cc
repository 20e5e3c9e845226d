#include "tuner/trial.h"

#include "core/version.h"

namespace hone {
namespace {

void SetLayouts(Record& record, const Schedule& schedule) {
  const Candidate& candidate = record.candidate;
  const Epilogue epilogue = CanonicalEpilogue(candidate.workload);
  for (const KernelOperand& operand : schedule.Operands(candidate.workload, candidate.config, epilogue)) {
    if (operand.role == OperandRole::kData && record.input_layout.empty())
      record.input_layout = operand.layout.ToText();
    if (operand.role == OperandRole::kOutput) record.output_layout = operand.layout.ToText();
  }
}

}  // namespace

Record MakeRecord(const Trial& trial, const RecordFrame& frame) {
  Record record;
  record.candidate = trial.candidate;
  record.threads = trial.timing.threads;
  record.schedule_version = frame.schedule->version();
  record.measurement = trial.measurement;
  record.timing = trial.timing;
  record.hone_version = HoneVersion();
  record.llvm_version = frame.llvm_version;
  record.unix_ms = frame.unix_ms;
  record.session = frame.session;
  // A refused config may not even have layouts.
  if (const Artifact* artifact = std::get_if<Artifact>(&trial.built)) {
    record.artifact_sha256 = artifact->object_sha256;
    SetLayouts(record, *frame.schedule);
  }
  return Finish(std::move(record));
}

}  // namespace hone
