// Which job is where: the pool of runners without its sockets and its clock.
#pragma once

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

// A runner as the board sees it; numbers are never used again.
using LaneId = uint64_t;

// Jobs wait here until a lane has room, so that whoever is free takes the next one. A job that waits at a lane behind
// others is asked back when another lane has less to do. Jobs of a group go to one lane; when that is lost they end as
// RunnerLost, for what their companions took there compares with no other machine. Every job ends once. Not
// thread-safe.
class JobBoard {
 public:
  // Sent to one runner and not answered: what keeps it busy while an answer travels.
  static constexpr int kDepth = 4;
  // Of a job whose runners are lost.
  static constexpr uint32_t kMostAttempts = 3;
  // Faults of a runner in a row: one more job would only be lost there too.
  static constexpr int kMostFaults = 5;

  // Group 0: none. The message's id must be new.
  void Add(JobMessage message, uint64_t group);
  uint64_t OpenGroup();
  // No job of it comes any more.
  void CloseGroup(uint64_t group);

  void OpenLane(LaneId lane);
  // Its jobs wait again, with the next attempt.
  void LoseLane(LaneId lane);
  // A lane whose runner failed under so many jobs in a row; it is to be lost.
  std::optional<LaneId> BrokenLane() const;
  // Sends it nothing more and asks back what waits there; see DrainedLane.
  void DrainLane(LaneId lane);
  // A lane that was to be drained and has no job left, now closed.
  std::optional<LaneId> DrainedLane();
  // The lane that is missed least: with the fewest jobs, of those without an open group. Nullopt: none or the last one.
  std::optional<LaneId> LaneToSpare() const;
  // Whether it may be drained now: nothing is bound to it by a group.
  bool MayDrain(LaneId lane) const { return Groups(lane) == 0; }
  bool draining() const;

  struct Place {
    LaneId lane = 0;
    JobId job = 0;
  };
  // The next job to send and where to; it counts as sent. Nullopt: all have what they can take.
  std::optional<Place> NextToSend();
  // The next job to ask back; it counts as asked.
  std::optional<Place> NextToWithdraw();
  // The lane could not be reached or takes no more for now: the job waits, and the lane gets none before Reopen.
  void Refused(Place place);
  void Reopen(LaneId lane);
  // The lane has given the job back, or never had it.
  void Withdrawn(Place place);
  // The lane was asked for the job and has begun with it.
  void Kept(Place place);
  // The message of a job that has not ended; null when there is none.
  JobMessage* Find(JobId job);
  // Of the lane's jobs.
  std::vector<JobId> JobsOf(LaneId lane) const;

  // Ends a job. A result counts when the job is at that lane with that attempt; else it is a repetition. RunnerLost is
  // a fault of the lane's runner, Cancelled trouble of its machine: the job is tried elsewhere, unless it is of a group
  // or this was its last attempt.
  // True when it ended one.
  bool TakeResult(LaneId lane, ResultMessage result);
  void Fail(JobId job, Fate fate, const std::string& message);
  void FailAll(Fate fate, const std::string& message);

  size_t outstanding() const { return jobs_.size(); }
  // In the order of their ending.
  bool PopResult(JobResult* result);
  bool has_results() const { return !results_.empty(); }
  int lanes() const { return static_cast<int>(lanes_.size()); }

 private:
  struct Job {
    JobMessage message;
    uint64_t group = 0;
    LaneId lane = 0;     // 0: it waits here
    uint64_t sent = 0;   // the how manieth message of all it was
    bool asked = false;  // back, and not answered
    bool kept = false;   // the lane has begun with it
    LaneId failed = 0;   // where it was lost last; 0: nowhere
  };
  struct Lane {
    int load = 0;    // jobs that are there
    int faults = 0;  // of its runner, since its last good result
    bool draining = false;
    bool closed_for_now = false;
  };
  struct Group {
    LaneId lane = 0;  // 0: not chosen yet
    bool lost = false;
  };
  using Jobs = std::map<JobId, Job>;

  void Move(JobId id, Job& job, LaneId lane);
  int Load(LaneId lane) const;
  int Groups(LaneId lane) const;
  bool Takes(LaneId lane) const;
  LaneId LeastLoaded(bool few_groups, LaneId but = 0) const;
  LaneId LaneFor(const Job& job);
  int ComingTo(LaneId lane) const;
  Jobs::iterator LastMovable(LaneId lane);
  std::optional<Place> Ask(Jobs::iterator job);
  bool TryElsewhere(Jobs::iterator job, LaneId lane);
  void End(Jobs::iterator job, Measurement measurement, JobCost cost = {}, std::string outputs = {});

  Jobs jobs_;
  std::set<JobId> waiting_;  // of jobs_, those on no lane
  std::map<LaneId, Lane> lanes_;
  std::map<uint64_t, Group> groups_;
  std::deque<JobResult> results_;
  uint64_t last_group_ = 0;
  uint64_t sent_ = 0;
};

}  // namespace hone
