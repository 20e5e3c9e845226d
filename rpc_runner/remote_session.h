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

#include "rpc_runner/job_board.h"
#include "rpc_runner/runner.h"
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
  uint64_t OpenGroup();
  void CloseGroup(uint64_t group);
  // Of the runner that was leased first. Throws Error(kNoRunner) when none is leased within lost_timeout_ns.
  Environment Describe();
  // Of those that are leased now.
  std::vector<Environment> Machines() const;

 private:
  struct Lease {
    LaneId lane = 0;
    std::string client;  // the name under which it was asked for
    std::string lease;
    std::string runner;  // its id at the tracker; empty: not told
    Environment environment;
    std::unique_ptr<Socket> dialled;  // the runner; null: it is reached through the tracker alone
    int64_t dialled_heard_ns = 0;
    int64_t heard_ns = 0;  // 0: the lease is over
    int64_t beat_ns = 0;
  };

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
  void OnLease(const Json& header);
  bool TakesLease(const Json& header, const Json& kind);
  void FromRunner(Lease& lease, const Frame& frame);
  void OnRunnerBeat(const Lease& lease, const Json& header);
  void OnError(Lease& lease, const Json& header);
  void Dial(Lease& lease, const Json& header);
  bool ToRunner(Lease& lease, Frame frame);
  void SpareOne(int64_t now_ns);
  void SpareThis(const std::string& lease);
  void CloseDrained();
  void CloseBroken();
  void DropLost(int64_t now_ns);
  void SendJobs();
  void WithdrawJobs();
  void AskForMore(int64_t now_ns);
  void Beat(Lease& lease, int64_t now_ns);
  void GiveUpLateJobs(int64_t now_ns);
  void SendRelease(const std::string& client, const std::string& lease);
  void ForgetLease(std::list<Lease>::iterator lease);
  Lease* FindLane(LaneId lane);
  Lease* FindLease(const std::string& lease);

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
  int64_t served_ns_ = 0;  // when a runner was last leased or known to be on offer

  // The thread's own.
  SocketContext context_;         // to the tracker, with keys
  SocketContext runner_context_;  // to runners on loopback, without
  Socket tracker_;
  std::list<Lease> leases_;
  std::string client_;              // the next lease's
  Json kind_;                       // of the machines; null before the first
  std::set<std::string> left_out_;  // runners that were told of
  std::set<std::string> without_;   // runners that failed us
  int64_t tracker_heard_ns_ = 0;
  bool full_ = false;  // a connection took no more; soon it will
  std::string told_refusal_;
  std::string not_allowed_;  // what the key's role is not for; empty: nothing
  LaneId last_lane_ = 0;
  int64_t asked_ns_ = 0;   // when a lease was last asked for
  int64_t spared_ns_ = 0;  // when one was last given back to be fair

  std::atomic<bool> stop_{false};
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace hone
