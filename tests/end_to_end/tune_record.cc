#include "tests/end_to_end/tune_record.h"

#include "compiler/codegen/target/host.h"
#include "compiler/schedules/schedule.h"
#include "core/version.h"
#include "db/record_log.h"
#include "rpc_runner/machine/environment.h"

namespace hone {

Candidate OddCandidate(const Workload& workload) {
  const Target target = HostTarget();
  const MachineModel machine = MachineModelFor(target);
  const Schedule* schedule = FindSchedule("conv2d_direct");
  const ConfigSpace space = schedule->Space(workload, machine);
  for (int64_t i = space.size() - 1; i >= 0; --i) {
    if (!schedule->Reject(workload, machine, space.At(i))) return {workload, "conv2d_direct", space.At(i), target};
  }
  return {};
}

Record WinningRecord(const Candidate& candidate, int threads) {
  Record record;
  record.candidate = candidate;
  record.threads = threads;
  record.schedule_version = FindSchedule(candidate.schedule)->version();
  record.measurement.samples_ns = {11, 10, 12};
  record.measurement.batch = {100, 100, 100};
  record.measurement.environment = ProbeEnvironment();
  record.timing.threads = threads;
  record.hone_version = HoneVersion();
  record.unix_ms = 1'700'000'000'000;
  record.session = "by hand";
  return Finish(record);
}

std::string LogOf(const Record& record) {
  return "{\"format\":\"hone-log\",\"version\":1}\n" + DumpJson(ToJson(record)) + "\n";
}

}  // namespace hone
