// The jobs of a pool of runners: which runner gets which, and which results are suspect. Knows no sockets and no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rpc_runner/runner.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

// A runner as the queue sees it. Numbers are never reused.
using WorkerId = uint64_t;

// Jobs wait here until a worker has room, so that the first free runner takes the next one. A job that waits on a
// worker behind others is asked back when another worker has less to do. Jobs of a group go to one worker. If that
// worker is lost they end as RunnerLost, because times from another machine would not compare with those taken there.
// Every job ends once. Not thread-safe.
class JobQueue {
 public:
  // The most unanswered jobs on one runner; they keep it busy while an answer travels.
  static constexpr int kDepth = 4;
  // The most attempts of a job whose runners are lost.
  static constexpr uint32_t kMostAttempts = 3;
  // The most faults of a runner in a row before its worker is broken: another job would be lost there too.
  static constexpr int kMostFaults = 5;

  // Group 0 means none. The message's id must be new.
  void Add(JobMessage message, uint64_t group);
  uint64_t OpenGroup();
  // Call it when no more jobs of the group will come.
  void CloseGroup(uint64_t group);

  void AddWorker(WorkerId worker);
  // The worker's jobs wait again, as their next attempt.
  void RemoveLostWorker(WorkerId worker);
  // A worker whose runner lost kMostFaults jobs in a row; the caller should lose it.
  std::optional<WorkerId> BrokenWorker() const;
  // Sends the worker no more jobs and asks back those that wait there; see DrainedWorker.
  void DrainWorker(WorkerId worker);
  // Closes and returns a draining worker that has no job left.
  std::optional<WorkerId> DrainedWorker();
  // The worker to give up at the least cost: the one with the fewest jobs among those without an open group. Nullopt if
  // there is none or it is the last worker.
  std::optional<WorkerId> WorkerToYield() const;
  // Whether the worker may be drained: no group is bound to it.
  bool MayDrain(WorkerId worker) const { return GroupsOn(worker) == 0; }
  bool draining() const;

  struct Place {
    WorkerId worker = 0;
    JobId job = 0;
  };
  // The next job to send, and its worker; it counts as sent. Nullopt if no waiting job has a worker with room.
  std::optional<Place> NextToSend();
  // The next job to ask back; it counts as asked. Nullopt if there is none.
  std::optional<Place> NextToWithdraw();
  // The worker could not be reached or has no room for the moment. The job waits, and the worker gets no job before
  // MarkNotFull.
  void MarkFull(Place place);
  void MarkNotFull(WorkerId worker);
  // The worker has given the job back, or never had it.
  void MarkReturned(Place place);
  // The worker was asked for the job but has begun with it.
  void MarkStarted(Place place);
  // The message of a job that has not ended; null when there is none.
  JobMessage* Find(JobId job);
  // The unanswered jobs of the worker.
  std::vector<JobId> JobsOf(WorkerId worker) const;

  // Ends a job. A result counts if the job is at that worker with that attempt; otherwise it is a duplicate. RunnerLost
  // is a fault of the worker's runner; Cancelled is trouble of its machine. In both cases the job is tried elsewhere,
  // unless it belongs to a group or this was its last attempt. Returns true if the job ended.
  bool TakeResult(WorkerId worker, ResultMessage result);
  void Fail(JobId job, Fate fate, const std::string& message);
  void FailAll(Fate fate, const std::string& message);

  size_t outstanding() const { return jobs_.size(); }
  // Results in the order in which the jobs ended. Returns false if there are none.
  bool PopResult(JobResult* result);
  bool has_results() const { return !results_.empty(); }
  int workers() const { return static_cast<int>(workers_.size()); }

 private:
  struct Job {
    JobMessage message;
    uint64_t group = 0;
    WorkerId worker = 0;   // 0: the job waits here
    uint64_t sent = 0;     // number of its message in the order of sending
    bool asked = false;    // asked back, and not answered yet
    bool started = false;  // the worker has begun with it
    WorkerId failed = 0;   // the worker where it was lost last; 0 if none
  };
  struct Worker {
    int load = 0;    // jobs on this worker
    int faults = 0;  // faults of its runner since its last good result
    bool draining = false;
    bool is_full = false;
  };
  struct Group {
    WorkerId worker = 0;  // 0: not chosen yet
    bool lost = false;
  };
  using Jobs = std::map<JobId, Job>;

  void Move(JobId id, Job& job, WorkerId worker);
  int Load(WorkerId worker) const;
  int GroupsOn(WorkerId worker) const;
  bool HasRoom(WorkerId worker) const;
  WorkerId LeastLoaded(bool few_groups, WorkerId avoid = 0) const;
  WorkerId WorkerFor(const Job& job);
  int LoadWithPending(WorkerId worker) const;
  Jobs::iterator LastMovable(WorkerId worker);
  std::optional<Place> MarkAsked(Jobs::iterator job);
  bool TryElsewhere(Jobs::iterator job, WorkerId worker);
  void End(Jobs::iterator job, Measurement measurement, JobCost cost = {}, std::string outputs = {},
           std::optional<RuntimeFacts> runtime = {});

  Jobs jobs_;
  std::set<JobId> waiting_;  // those of jobs_ that are on no worker
  std::map<WorkerId, Worker> workers_;
  std::map<uint64_t, Group> groups_;
  std::deque<JobResult> results_;
  uint64_t last_group_ = 0;
  uint64_t sent_ = 0;
};

// Results that their runner does not trust any more after it has sent them. Remembers which runner measured each
// result, so that no runner can retract another one's. Not thread-safe.
class SuspectResults {
 public:
  // The most results that are remembered; a runner gives fewer from one golden run to the next.
  static constexpr size_t kMost = 16'384;

  // The runner behind `worker` sent the result that ended the job.
  void Add(WorkerId worker, JobId job);
  // The caller of Wait has the result.
  void MarkDelivered(JobId job);
  // Ignores jobs that the worker did not send and those that are suspect already.
  void MarkSuspect(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why);
  // Suspect results that the caller has, each returned once.
  std::vector<SuspectResult> Take();

 private:
  struct Result {
    WorkerId worker = 0;
    bool delivered = false;
    std::string why;  // empty: the result is trusted
  };
  std::map<JobId, Result> results_;
  std::vector<JobId> suspects_;
};

}  // namespace hone
