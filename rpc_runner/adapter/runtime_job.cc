#include "rpc_runner/adapter/runtime_job.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/failure.h"
#include "core/files/temporary_folder.h"
#include "rpc_runner/adapter/adapter.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr int64_t kSampleNs = 2'000'000;
constexpr size_t kLeastSamples = 5, kMostSamples = 10'000;

// The model as a file that the adapter's user may read, until this object's end.
class ModelFile {
 public:
  explicit ModelFile(std::string_view bytes) : path_((TemporaryFolder() / "hone-runtime-XXXXXX.onnx").string()) {
    const int fd = mkstemps(path_.data(), 5);
    const bool written = fd >= 0 && fchmod(fd, 0444) == 0 && WriteAll(fd, bytes);
    const int why = errno;
    if (fd >= 0) close(fd);
    if (written) return;
    if (fd >= 0) unlink(path_.c_str());
    throw Error(ExitCode::kIo, fmt::format("no file {} for a model: {}", path_, std::strerror(why)));
  }
  ~ModelFile() { unlink(path_.c_str()); }
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void TakeSample(Adapter& adapter, int64_t batch, Measurement& measurement) {
  const std::vector<int64_t> times_ns = adapter.Run(batch);
  measurement.samples_ns.push_back(std::accumulate(times_ns.begin(), times_ns.end(), int64_t{0}) / batch);
  measurement.batch.push_back(batch);
}

// Short runs share a request, so that the way to the adapter and back disturbs them less.
void TakeSamples(Adapter& adapter, int64_t min_time_ns, Measurement& measurement) {
  adapter.RequireFilledTimes();  // it also warms up by them
  adapter.Run(1);
  const int64_t batch =
      std::clamp<int64_t>(kSampleNs / std::max<int64_t>(adapter.outside_ns(), 1), 1, kMostRunsOfRequest);
  std::vector<int64_t>& samples_ns = measurement.samples_ns;
  int64_t spent_ns = 0;
  while ((spent_ns < min_time_ns || samples_ns.size() < kLeastSamples) && samples_ns.size() < kMostSamples) {
    TakeSample(adapter, batch, measurement);
    spent_ns += batch * samples_ns.back();
  }
  adapter.RequireFilledTurns();
}

void Run(const RuntimeJob& job, const OfferedRuntime& offered, const std::vector<int>& cpus, CoreLock& lock,
         const std::atomic<bool>& stop, JobResult& result) {
  const ModelFile model(job.model->bytes());
  AdapterSandbox sandbox = offered.sandbox;
  sandbox.reads.push_back(model.path());
  sandbox.memory_bytes = std::min(sandbox.memory_bytes, std::max<int64_t>(job.timing.memory_bytes, 1));
  Adapter adapter({offered.runtime, InSandbox(sandbox, offered.words), job.settings}, job.timing.deadline_ns, cpus,
                  &stop);
  adapter.Use(model.path(), job.timing.threads, ParseJson(job.inputs->bytes(), "the job's inputs"));
  adapter.LoadAnew();
  adapter.Run(1);
  if (job.wants_outputs) result.outputs = DumpJson(adapter.Outputs(kMaxOutputBytes / 2));
  if (job.min_time_ns > 0) {
    const CoreTurn turn(lock, kMostTurnNs);
    TakeSamples(adapter, job.min_time_ns, result.measurement);
    result.measurement.noisy = !turn.alone();
  }
  result.runtime = {adapter.name(), adapter.version(), adapter.precision(), adapter.MemoryBytes()};
  if (static_cast<int64_t>(result.outputs.size()) > kMaxOutputBytes) {
    throw Error(ExitCode::kBadData,
                fmt::format("{} gives outputs of more than {} bytes", adapter.title(), kMaxOutputBytes));
  }
  adapter.Bye();
}

Measurement FailedBy(const Error& error) {
  return FailedMeasurement(error.code() == ExitCode::kAnswerIsNo ? Fate::kPolicyViolation : Fate::kCrashed, 0,
                           error.what());
}

}  // namespace

JobResult RunRuntimeJob(const RuntimeJob& job, const OfferedRuntime& offered, const std::vector<int>& cpus,
                        CoreLock& lock, const std::atomic<bool>& stop) {
  JobResult result;
  const int64_t begin_ns = MonotonicNs();
  try {
    Run(job, offered, cpus, lock, stop, result);
  } catch (const Error& error) {
    result = {};
    result.measurement =
        stop ? FailedMeasurement(Fate::kCancelled, static_cast<int32_t>(ExitCode::kNoRunner), error.what())
             : FailedBy(error);
  } catch (const std::exception& error) {
    result = {};
    result.measurement = FailedMeasurement(FailureOf(error, Fate::kCrashed));
  }
  result.measurement.wall_ns = MonotonicNs() - begin_ns;
  return result;
}

}  // namespace hone
