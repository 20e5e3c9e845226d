#include "rpc_runner/executor/judge/judge_job.h"

#include <exception>

#include "core/failure.h"
#include "rpc_runner/executor/child_process.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

JobResult JudgeJob(const std::function<void(JobResult*)>& run) {
  const int64_t begin_ns = MonotonicNs();
  JobResult result;
  try {
    run(&result);
  } catch (const ParentGone&) {
    throw;
  } catch (const NurseryGone&) {
    throw;
  } catch (const std::exception& error) {
    result.measurement = FailedMeasurement(FailureOf(error, Fate::kUnsupported));
  }
  result.measurement.wall_ns = MonotonicNs() - begin_ns;
  return result;
}

}  // namespace hone
