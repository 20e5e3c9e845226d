// The runners behind a tracker as one Runner. Its thread holds leases, sends heartbeats, sends jobs to free runners and
// takes results.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/remote/job_queue.h"
#include "rpc_runner/remote/tuner_leases.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Takes leases of machines of one kind, one at a time, until it has max_runners. Each request has a name of its own,
// so that the session never has more than one place in the queue. It gives a lease back when the tracker says that
// another tuner has fewer. All members above "the thread's own" are guarded by mutex_. Methods may be called from any
// one thread.
class RemoteSession : public Runner {
 public:
  // Throws Error(kBadConfig) as ClientSecurity does.
  explicit RemoteSession(const RemoteRunnerOptions& options);
  ~RemoteSession() override;

  // Waits until a runner is leased or known to be busy for another tuner. Throws Error(kNoRunner) after
  // connect_timeout_ns, Error(kNotAuthorised) if the tracker refuses this client.
  void WaitForOffer();
  JobId Submit(KernelJob job) override;
  JobId SubmitPackage(PackageJob job) override;
  JobId SubmitRuntime(RuntimeJob job) override;
  // The number of further jobs that keep the runners busy.
  int FreeSlots() const override;
  bool Wait(int64_t timeout_ns, JobResult* result) override;
  // See Runner.
  std::vector<SuspectResult> TakeSuspectResults() override;
  void CheckHealth(int64_t timeout_ns) override;
  uint64_t OpenGroup() override;
  void CloseGroup(uint64_t group) override;
  // The environment of the runner that was leased first. Throws Error(kNoRunner) if none is leased within
  // lost_timeout_ns, or if no runner, free or not, offers the key for gone_timeout_ns.
  Environment Describe() override;
  // The environments of the runners that are leased at this time.
  std::vector<Environment> Machines() override;
  // See Runner.
  std::optional<RunnerAbsence> Absence() override;

 private:
  // Whether no runner that offers the key was seen for so long that waiting is pointless.
  bool IsGone(int64_t now_ns) const;
  [[noreturn]] void ThrowNotFree() const;
  JobId Add(JobMessage message, uint64_t group);
  void Loop();
  void Step();
  void ReceiveAll();
  void OnMessage(const Frame& frame, int64_t now_ns);
  void NoteOtherVersion(const std::string& why);
  void UpdateRefusal();
  void FromTracker(const Frame& frame);
  void OnTrackerHeartbeat(const Json& header);
  void OnTrackerError(const Json& header);
  void OnQueued(const Json& header);
  void UpdateBusy(const Json& header);
  void OnLease(const Json& header);
  void FromRunner(HeldLease& lease, const Frame& frame);
  void OnRunnerHeartbeat(const HeldLease& lease, const Json& header);
  void OnHealth(const HeldLease& lease, const Json& header);
  void RequestHealthChecks();
  void OnError(HeldLease& lease, const Json& header);
  void YieldOne(int64_t now_ns);
  void YieldLease(const std::string& lease);
  void CloseDrained();
  void CloseBroken();
  void DropLost(int64_t now_ns);
  void SendJobs();
  void WithdrawJobs();
  void RequestMore(int64_t now_ns);
  void SendHeartbeat(HeldLease& lease, int64_t now_ns);
  void FailLateJobs(int64_t now_ns);
  void UpdateAbsence(int64_t now_ns);
  void SendRelease(const std::string& client, const std::string& lease);
  void ForgetLease(std::list<HeldLease>::iterator lease);

  const RemoteRunnerOptions options_;
  JobId next_id_ = 1;        // the caller's own
  const std::string tuner_;  // names all of its leases to the tracker
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool tracker_answered_ = false;
  std::string refusal_;        // why the tracker refuses this client; empty if it does not
  std::string other_version_;  // the protocol versions of both sides if they differ; empty otherwise
  bool runner_offered_ = false;
  std::optional<Environment> environment_;
  std::vector<std::pair<WorkerId, Environment>> machines_;
  JobQueue queue_;
  SuspectResults suspects_;
  // Workers whose runner should be asked to run its golden kernel; workers that were asked.
  std::set<WorkerId> checks_wanted_, checks_running_;
  int64_t served_ns_ = 0;  // when a runner was last leased or known to be on offer
  // When a runner of the key was last known to exist: free, leased, held or drained.
  int64_t seen_ns_ = 0;
  std::string busy_;  // BusyText of the tracker's last message
  std::optional<RunnerAbsence> absence_;

  // The thread's own.
  SocketContext context_;         // for the tracker, with keys
  SocketContext runner_context_;  // for runners on loopback, without keys
  Socket tracker_;
  std::list<HeldLease> leases_;
  LeaseRequester requester_;
  WaitingNotice notice_;
  int64_t tracker_heard_ns_ = 0;
  int64_t alone_ns_ = 0;    // when the last lease ended; 0 while there is one, and before the first
  int64_t offered_ns_ = 0;  // when the tracker last knew of a runner of the key
  bool full_ = false;       // a connection took no more; it is tried again soon
  std::string reported_refusal_;
  std::string not_allowed_;  // what the key's role does not allow; empty if nothing
  WorkerId last_worker_ = 0;
  int64_t yielded_ns_ = 0;  // when a lease was last given back for fairness

  std::atomic<bool> stop_{false};
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace hone
