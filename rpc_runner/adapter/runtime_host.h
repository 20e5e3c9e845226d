// The runtimes that a runner offers, and the thread that runs their jobs.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/adapter/offered_runtime.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/runner.h"

namespace hone {

// Runs one job at a time. Not thread-safe; its own thread is apart.
class RuntimeHost {
 public:
  // Starts each of `runtimes` (ParseOfferedRuntime) once and asks for its name, so a runtime that does not run here is
  // told at once. `reads`: files and folders that each may read. Throws Error as ParseOfferedRuntime and Adapter do,
  // and kUsage for a name that is given twice.
  RuntimeHost(const std::vector<std::string>& runtimes, const std::vector<std::string>& reads,
              const ExecutorOptions& options);
  ~RuntimeHost();
  RuntimeHost(const RuntimeHost&) = delete;
  RuntimeHost& operator=(const RuntimeHost&) = delete;

  // The part of a runner's hello about them: docs/reference/protocol.md.
  Json told() const;

  // Begins a job; none may be under way. `cores`: how many this runner has.
  void Start(const RuntimeJob& job, int cores);
  bool is_busy() const { return thread_.joinable(); }
  // Readable when the job under way has ended.
  int fd() const { return ended_fd_; }
  // The result of the job under way once it has ended. The environment of its measurement is empty.
  std::optional<JobResult> Take();
  // Ends the job under way soon; its result still comes.
  void Cancel() { stop_ = true; }

 private:
  JobResult RunHere(const RuntimeJob& job, int cores);
  std::vector<int> CpusFor(int threads) const;

  const JobCaps caps_;
  const std::vector<int> cores_;  // empty: all that this process may use
  CoreLock lock_;
  std::vector<OfferedRuntime> offered_;
  int ended_fd_ = -1;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::optional<JobResult> result_;
  std::thread thread_;
};

}  // namespace hone
