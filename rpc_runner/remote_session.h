// The thread behind a RemoteRunner: it holds the lease, beats, sends jobs and takes results.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "rpc_runner/job_message.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/socket.h"

namespace hone {

// Every member but those after "the thread's own" is guarded by mutex_. Methods may be called from any one thread.
class RemoteSession {
 public:
  // Throws Error(kBadConfig) for an address that is not loopback.
  explicit RemoteSession(const RemoteRunnerOptions& options);
  ~RemoteSession();

  // Waits until a runner is leased or known to be busy with somebody else. Throws Error(kNoRunner) after
  // connect_timeout_ns.
  void WaitForOffer();
  void Submit(JobId id, KernelJob job);
  void SubmitPackage(JobId id, PackageJob job);
  size_t outstanding() const;
  bool Wait(int64_t timeout_ns, JobResult* result);
  // Of the runner that is or was leased last. Throws Error(kNoRunner) when none is leased within lost_timeout_ns.
  Environment Describe();

 private:
  struct Job {
    JobMessage message;
    bool sent = false;
  };

  void Add(JobId id, JobMessage message);
  void Loop();
  void Turn();
  void FromTracker(const Frame& frame);
  void FromRunner(const Frame& frame);
  void OnLease(const Json& header);
  void OnError(const Json& header);
  void OnLost();
  void SendJobs();
  void Beat(int64_t now_ns);
  void GiveUpLateJobs(int64_t now_ns);
  void Finish(std::map<JobId, Job>::iterator job, Measurement measurement, JobCost cost = {});

  const RemoteRunnerOptions options_;
  const std::string client_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool tracker_answered_ = false;
  bool runner_offered_ = false;
  std::optional<Environment> environment_;
  std::map<JobId, Job> jobs_;
  std::deque<JobResult> results_;
  int64_t served_ns_ = 0;  // when a runner was last leased or known to be on offer

  // The thread's own.
  SocketContext context_;
  Socket tracker_;
  std::unique_ptr<Socket> runner_;  // while a lease is held
  std::string lease_;
  int64_t runner_heard_ns_ = 0;
  int64_t beat_ns_ = 0;

  std::atomic<bool> stop_{false};
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace hone
