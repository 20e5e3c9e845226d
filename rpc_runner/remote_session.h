// The thread behind a RemoteRunner: it holds leases, beats, sends jobs to whoever is free and takes results.
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

#include "rpc_runner/doubted_results.h"
#include "rpc_runner/held_lease.h"
#include "rpc_runner/job_board.h"
#include "rpc_runner/lease_asker.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/waiting_notice.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Takes leases one after the other, of machines alike, until it has max_runners: each under a name of its own, so that
// it never has more than one place in the queue. Gives one back when the tracker says that somebody else has less.
// Every member but those after "the thread's own" is guarded by mutex_. Methods may be called from any one thread.
class RemoteSession {
 public:
  // Throws Error(kBadConfig) as ClientSecurity.
  explicit RemoteSession(const RemoteRunnerOptions& options);
  ~RemoteSession();

  // Waits until a runner is leased or known to be busy with somebody else. Throws Error: kNoRunner after
  // connect_timeout_ns, kNotAuthorised.
  void WaitForOffer();
  void Submit(JobId id, KernelJob job);
  void SubmitPackage(JobId id, PackageJob job);
  // How many more jobs keep the runners busy.
  int FreeSlots() const;
  bool Wait(int64_t timeout_ns, JobResult* result);
  // See Runner.
  std::vector<Doubt> TakeDoubts();
  void LookAgain(int64_t timeout_ns);
  uint64_t OpenGroup();
  void CloseGroup(uint64_t group);
  // Of the runner that was leased first. Throws Error(kNoRunner) when none is leased within lost_timeout_ns, or none
  // offers the key for 30 s, be it free or not.
  Environment Describe();
  // Of those that are leased now.
  std::vector<Environment> Machines() const;

 private:
  // Whether nothing is left that may become free.
  bool IsGone(int64_t now_ns) const;
  [[noreturn]] void ThrowNotFree() const;
  void Add(JobId id, JobMessage message, uint64_t group);
  void Loop();
  void Turn();
  void ReceiveAll();
  void OnMessage(const Frame& frame, int64_t now_ns);
  void NoteOtherVersion(const std::string& why);
  void TakeRefusal();
  void FromTracker(const Frame& frame);
  void OnTrackerBeat(const Json& header);
  void OnTrackerError(const Json& header);
  void OnQueued(const Json& header);
  void TakeBusy(const Json& header);
  void OnLease(const Json& header);
  void FromRunner(HeldLease& lease, const Frame& frame);
  void OnRunnerBeat(const HeldLease& lease, const Json& header);
  void TakeHealth(const HeldLease& lease, const Json& header);
  void AskForLooks();
  void OnError(HeldLease& lease, const Json& header);
  void SpareOne(int64_t now_ns);
  void SpareThis(const std::string& lease);
  void CloseDrained();
  void CloseBroken();
  void DropLost(int64_t now_ns);
  void SendJobs();
  void WithdrawJobs();
  void AskForMore(int64_t now_ns);
  void Beat(HeldLease& lease, int64_t now_ns);
  void GiveUpLateJobs(int64_t now_ns);
  void SendRelease(const std::string& client, const std::string& lease);
  void ForgetLease(std::list<HeldLease>::iterator lease);

  const RemoteRunnerOptions options_;
  const std::string tuner_;  // names all of its leases to the tracker
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool tracker_answered_ = false;
  std::string refusal_;        // why the tracker does not let us in
  std::string other_version_;  // which protocol it speaks, and we; empty: ours
  bool runner_offered_ = false;
  std::optional<Environment> environment_;
  std::vector<std::pair<LaneId, Environment>> machines_;
  JobBoard board_;
  DoubtedResults doubted_;
  std::set<LaneId> to_look_, looking_;  // lanes whose runner is to be asked for a look; those that were
  int64_t served_ns_ = 0;               // when a runner was last leased or known to be on offer
  int64_t seen_ns_ = 0;                 // when one was last known to offer the key, free, leased, held or drained
  std::string busy_;                    // BusyText of what the tracker said last

  // The thread's own.
  SocketContext context_;         // to the tracker, with keys
  SocketContext runner_context_;  // to runners on loopback, without
  Socket tracker_;
  std::list<HeldLease> leases_;
  LeaseAsker asker_;
  WaitingNotice notice_;
  int64_t tracker_heard_ns_ = 0;
  bool full_ = false;  // a connection took no more; soon it will
  std::string told_refusal_;
  std::string not_allowed_;  // what the key's role is not for; empty: nothing
  LaneId last_lane_ = 0;
  int64_t spared_ns_ = 0;  // when one was last given back to be fair

  std::atomic<bool> stop_{false};
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace hone
