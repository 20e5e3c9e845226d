#include "tests/support/sleeping_executor.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "rpc_runner/device/runner_server.h"

namespace hone {

SleepingExecutor::SleepingExecutor(int64_t job_ns, Environment environment, Fate fate)
    : job_ns_(job_ns),
      environment_(std::move(environment)),
      fate_(fate),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

SleepingExecutor::~SleepingExecutor() { close(timer_); }

void SleepingExecutor::Begin() {
  const itimerspec span{{0, 0}, {job_ns_ / 1'000'000'000, job_ns_ % 1'000'000'000}};
  timerfd_settime(timer_, 0, &span, nullptr);
}

JobId SleepingExecutor::Enqueue(int64_t sample) {
  queue_.push_back({next_id_, sample});
  if (queue_.size() == 1) Begin();
  return next_id_++;
}

JobId SleepingExecutor::Submit(KernelJob job) { return Enqueue(job.artifact.shared_workspace_bytes); }

JobId SleepingExecutor::SubmitPackage(PackageJob job) { return Enqueue(job.runs); }

bool SleepingExecutor::Wait(int64_t, JobResult* result) {
  uint64_t times = 0;
  if (queue_.empty() || read(timer_, &times, sizeof times) != sizeof times) return false;
  *result = {};
  result->id = queue_.front().id;
  result->measurement.fate = fate_;
  result->measurement.samples_ns = {queue_.front().sample};
  result->measurement.batch = {1};
  result->measurement.environment = environment_;
  queue_.pop_front();
  if (!queue_.empty()) Begin();
  return true;
}

SleepingRunner::SleepingRunner(const RunnerServerOptions& options, int64_t job_ns, const Environment& environment,
                               Fate fate)
    : thread_([this, options, job_ns, environment, fate] {
        SleepingExecutor executor(job_ns, environment, fate);
        ServeExecutor(options, executor, [&executor] { return executor.PollFd(); }, &stop_);
      }) {}

SleepingRunner::~SleepingRunner() {
  stop_ = true;
  thread_.join();
}

Environment FakeMachine(const std::string& host) {
  Environment environment;
  environment.host = host;
  environment.cpu_model = "Fake CPU";
  environment.cpu_id = "Fake-1-1-1";
  environment.features = "avx2 fma";
  environment.cores = 4;
  return environment;
}

}  // namespace hone
