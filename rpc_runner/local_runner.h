// The executor on this machine as a Runner.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

// One job runs and two wait in the executor's socket. If the executor dies, it is started again and the jobs are sent
// again. The job that was running is tried once more before its fate is RunnerLost.
class LocalRunner : public Runner {
 public:
  // Throws Error(kNoRunner) if the executor cannot be started or does not answer, kBadConfig if it provides less
  // isolation than required.
  explicit LocalRunner(const ExecutorOptions& options);
  ~LocalRunner() override;

  int FreeSlots() const override;
  JobId Submit(KernelJob job) override;
  JobId SubmitPackage(PackageJob job) override;
  bool Wait(int64_t timeout_ns, JobResult* result) override;
  Environment Describe() override { return environment_; }
  // Sets Environment::roofs in all environments that it reports from here on.
  void TellRoofs(const std::string& roofs) { environment_.roofs = roofs; }

  // A descriptor that is readable when Wait(0) may have something to do. Changes when the executor is started again.
  int PollFd() const { return executor_->fd(); }
  pid_t executor_pid() const { return executor_->pid(); }

 private:
  struct Outstanding {
    JobMessage message;
    int deaths = 0;  // number of executors that died while this job was running
  };

  JobId SubmitMessage(JobMessage message);
  bool Send(const JobMessage& message);
  void Restart();
  bool Receive(Frame* frame);
  void Handle(const Frame& frame);
  void Finish(std::deque<Outstanding>::iterator job, Measurement measurement, JobCost cost = {},
              std::string outputs = {});

  const ExecutorOptions options_;
  std::unique_ptr<ExecutorProcess> executor_;
  Environment environment_;
  JobId next_id_ = 1;
  std::deque<Outstanding> outstanding_;    // in the order of submission, which is the order of running
  std::set<std::string> sent_references_;  // to this executor
  std::deque<JobResult> finished_;
};

}  // namespace hone
