// An executor that takes a given time for any job, for tests of how jobs are distributed.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/runner.h"

namespace hone {

// Runs one job at a time, as the real one does. A result's host is the environment's; its only sample is the artifact's
// number of shared workspace bytes.
class SleepingExecutor : public Runner {
 public:
  SleepingExecutor(int64_t job_ns, Environment environment, Fate fate = Fate::kOk);
  ~SleepingExecutor() override;
  SleepingExecutor(const SleepingExecutor&) = delete;
  SleepingExecutor& operator=(const SleepingExecutor&) = delete;

  int FreeSlots() const override { return queue_.size() < 3 ? 1 : 0; }
  JobId Submit(KernelJob job) override;
  JobId SubmitPackage(PackageJob) override;
  bool Wait(int64_t timeout_ns, JobResult* result) override;
  Environment Describe() override { return environment_; }
  bool is_idle() const { return queue_.empty(); }
  // Readable when the first job is over.
  int PollFd() const { return timer_; }

 private:
  JobId Enqueue(int64_t sample);
  void Begin();

  const int64_t job_ns_;
  const Environment environment_;
  const Fate fate_;
  int timer_;
  JobId next_id_ = 1;
  struct Queued {
    JobId id = 0;
    int64_t sample = 0;
  };
  std::deque<Queued> queue_;
};

// Runs ServeExecutor over a SleepingExecutor in a thread of this process. Every result has the fate `fate`.
class SleepingRunner {
 public:
  SleepingRunner(const RunnerServerOptions& options, int64_t job_ns, const Environment& environment,
                 Fate fate = Fate::kOk);
  ~SleepingRunner();

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A machine called "Fake CPU" on the host `host`.
Environment FakeMachine(const std::string& host);

}  // namespace hone
