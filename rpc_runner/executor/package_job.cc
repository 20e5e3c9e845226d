#include "rpc_runner/executor/package_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/hash/hash.h"
#include "rpc_runner/executor/child_process.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/judge/judge_results.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr int64_t kSpareBytes = int64_t{512} << 20;
constexpr int64_t kMostPackageBytes = int64_t{1} << 40;
constexpr int64_t kDeadlineNs = 60'000'000'000;

// `table` has a row of times for each run. It is a copy, because the child could change the original during the check.
void TakeTimes(const PackageJob& job, const std::vector<int64_t>& table, int64_t wall_ns, JobResult& result) {
  const size_t calls = job.plan.calls.size();
  result.cost.calls_ns.assign(calls, INT64_MAX);
  int64_t left_ns = wall_ns;
  for (int run = 0; run < job.runs; ++run) {
    const std::span row = std::span(table).subspan(static_cast<size_t>(run) * calls, calls);
    const std::optional<int64_t> sum_ns = BelievableSum(row, left_ns);
    if (!sum_ns) {
      result.measurement = FailedMeasurement(Fate::kPolicyViolation, 0, "its process reported times that cannot be");
      result.cost.calls_ns.clear();
      return;
    }
    left_ns -= *sum_ns;
    result.measurement.samples_ns.push_back(std::max<int64_t>(*sum_ns, 1));
    result.measurement.batch.push_back(1);
    for (size_t i = 0; i < calls; ++i) result.cost.calls_ns[i] = std::min(result.cost.calls_ns[i], row[i]);
  }
  result.cost.timing_ns = wall_ns;
}

JobResult RunInChild(const PackageJob& job, const PackageData& data, Nursery& nursery, bool pin, CoreLock& lock) {
  ChildTask task;
  task.package = &job;
  task.data = data;
  task.timing = job.timing;
  task.pin = pin;
  const size_t cells = job.plan.calls.size() * static_cast<size_t>(job.runs);
  task.outputs.push_back(std::make_shared<SharedRegion>(static_cast<int64_t>(cells * sizeof(int64_t))));
  if (job.wants_outputs) task.outputs.push_back(std::make_shared<SharedRegion>(OutputBytes(job.plan)));
  ChildProcess child(task, nursery);
  JobResult result;
  const auto end = [&] {
    const Ending& ending = child.ending();
    result.measurement = FailedMeasurement(ending.fate, ending.detail, ending.message);
    return result;
  };
  if (!child.WaitReady()) return end();
  const int64_t asked_ns = MonotonicNs();
  const CoreTurn turn(lock, kMostTurnNs);
  const int64_t begin_ns = MonotonicNs();
  child.Extend(begin_ns - asked_ns);
  const std::optional<ChildNote> note = child.Ask(CommandKind::kTime, 0);
  if (!note) return end();
  if (note->code != 0) {
    result.measurement = FailedMeasurement(Fate::kCrashed, note->code, fmt::format("a stage returned {}", note->code));
    return result;
  }
  const int64_t wall_ns = MonotonicNs() - begin_ns;
  const auto* times = reinterpret_cast<const int64_t*>(task.outputs[0]->data());
  TakeTimes(job, {times, times + cells}, wall_ns, result);
  result.measurement.noisy = !turn.alone();
  if (job.wants_outputs && result.measurement.fate == Fate::kOk) {
    const SharedRegion& outputs = *task.outputs[1];
    result.outputs.assign(outputs.data(), static_cast<size_t>(outputs.size_bytes()));
  }
  return result;
}

}  // namespace

PackageJob MakePackageJob(const Plan& plan, std::string_view lib, std::string_view params, int threads, int runs) {
  PackageJob job;
  job.plan = plan;
  job.lib = std::string(lib);
  job.runs = runs;
  job.timing.threads = threads;
  job.timing.deadline_ns = kDeadlineNs;
  job.timing.memory_bytes = 2 * job.plan.params_bytes + job.plan.arena_bytes + kSpareBytes;
  for (const PlanBuffer& buffer : job.plan.buffers) {
    if (buffer.kind != BufferKind::kParam || IsRandomParam(buffer.dtype)) continue;
    job.exact_params += params.substr(static_cast<size_t>(buffer.offset_bytes), static_cast<size_t>(buffer.size_bytes));
  }
  // The weights of an int8 network may exceed a frame.
  if (job.exact_params.size() > kMaxPartBytes) {
    job.exact_params.clear();
    const auto bytes = std::make_shared<const std::string>(params);
    job.params = {Sha256Hex(*bytes), static_cast<int64_t>(bytes->size()), {bytes, bytes->data()}};
  }
  return job;
}

std::string CheckPackageJob(const PackageJob& job, int cores) {
  if (job.runs < 1 || job.runs > kMaxPackageRuns) {
    return fmt::format("{} runs were asked for; 1 to {} are right", job.runs, kMaxPackageRuns);
  }
  if (std::string why = CheckJobLimits(job.timing, cores); !why.empty()) return why;
  const bool fits = job.plan.params_bytes >= 0 && job.plan.params_bytes <= job.timing.memory_bytes &&
                    job.plan.arena_bytes >= 0 && job.plan.arena_bytes <= job.timing.memory_bytes;
  if (!fits) return fmt::format("it needs more than the {} bytes that are allowed", job.timing.memory_bytes);
  if (job.wants_outputs) {
    const int64_t bytes = OutputBytes(job.plan);
    if (bytes < 0) return "the plan's outputs are not right";
    if (bytes > kMaxOutputBytes) return fmt::format("its outputs have {} bytes; {} travel", bytes, kMaxOutputBytes);
  }
  return job.plan.calls.empty() ? "the plan has no calls" : "";
}

int64_t OutputBytes(const Plan& plan) {
  int64_t sum = 0;
  for (const int index : plan.outputs) {
    if (index < 0 || static_cast<size_t>(index) >= plan.buffers.size()) return -1;
    const int64_t bytes = plan.buffers[static_cast<size_t>(index)].size_bytes;
    if (bytes < 0 || bytes > kMostPackageBytes || sum > kMostPackageBytes) return -1;
    sum += bytes;
  }
  return sum;
}

JobResult RunPackageJob(const PackageJob& job, const PackageData& data, Nursery& nursery, bool pin, CoreLock& lock) {
  return JudgeJob([&](JobResult* result) { *result = RunInChild(job, data, nursery, pin, lock); });
}

}  // namespace hone
