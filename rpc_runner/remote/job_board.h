// Assigns jobs to the runners of a pool; knows no sockets and no clock.
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

// A runner as the board sees it. Numbers are never reused.
using LaneId = uint64_t;

// Jobs wait here until a lane has room, so that the first free runner takes the next one. A job that waits on a lane
// behind others is asked back when another lane has less to do. Jobs of a group go to one lane. If that lane is lost
// they end as RunnerLost, because times from another machine would not compare with those taken there. Every job ends
// once. Not thread-safe.
class JobBoard {
 public:
  // The most unanswered jobs on one runner; they keep it busy while an answer travels.
  static constexpr int kDepth = 4;
  // The most attempts of a job whose runners are lost.
  static constexpr uint32_t kMostAttempts = 3;
  // The most faults of a runner in a row before its lane is broken: another job would be lost there too.
  static constexpr int kMostFaults = 5;

  // Group 0 means none. The message's id must be new.
  void Add(JobMessage message, uint64_t group);
  uint64_t OpenGroup();
  // Call it when no more jobs of the group will come.
  void CloseGroup(uint64_t group);

  void OpenLane(LaneId lane);
  // The lane's jobs wait again, as their next attempt.
  void LoseLane(LaneId lane);
  // A lane whose runner lost kMostFaults jobs in a row; the caller should lose it.
  std::optional<LaneId> BrokenLane() const;
  // Sends the lane no more jobs and asks back those that wait there; see DrainedLane.
  void DrainLane(LaneId lane);
  // Closes and returns a draining lane that has no job left.
  std::optional<LaneId> DrainedLane();
  // The lane to give up at the least cost: the one with the fewest jobs among those without an open group. Nullopt if
  // there is none or it is the last lane.
  std::optional<LaneId> LaneToSpare() const;
  // Whether the lane may be drained: no group is bound to it.
  bool MayDrain(LaneId lane) const { return Groups(lane) == 0; }
  bool draining() const;

  struct Place {
    LaneId lane = 0;
    JobId job = 0;
  };
  // The next job to send, and its lane; it counts as sent. Nullopt if no waiting job has a lane with room.
  std::optional<Place> NextToSend();
  // The next job to ask back; it counts as asked. Nullopt if there is none.
  std::optional<Place> NextToWithdraw();
  // The lane could not be reached or has no room for the moment. The job waits, and the lane gets no job before Reopen.
  void Refused(Place place);
  void Reopen(LaneId lane);
  // The lane has given the job back, or never had it.
  void Withdrawn(Place place);
  // The lane was asked for the job but has begun with it.
  void Kept(Place place);
  // The message of a job that has not ended; null when there is none.
  JobMessage* Find(JobId job);
  // The unanswered jobs of the lane.
  std::vector<JobId> JobsOf(LaneId lane) const;

  // Ends a job. A result counts if the job is at that lane with that attempt; otherwise it is a duplicate. RunnerLost
  // is a fault of the lane's runner; Cancelled is trouble of its machine. In both cases the job is tried elsewhere,
  // unless it belongs to a group or this was its last attempt. Returns true if the job ended.
  bool TakeResult(LaneId lane, ResultMessage result);
  void Fail(JobId job, Fate fate, const std::string& message);
  void FailAll(Fate fate, const std::string& message);

  size_t outstanding() const { return jobs_.size(); }
  // Results in the order in which the jobs ended. Returns false if there are none.
  bool PopResult(JobResult* result);
  bool has_results() const { return !results_.empty(); }
  int lanes() const { return static_cast<int>(lanes_.size()); }

 private:
  struct Job {
    JobMessage message;
    uint64_t group = 0;
    LaneId lane = 0;     // 0: the job waits here
    uint64_t sent = 0;   // number of its message in the order of sending
    bool asked = false;  // asked back, and not answered yet
    bool kept = false;   // the lane has begun with it
    LaneId failed = 0;   // the lane where it was lost last; 0 if none
  };
  struct Lane {
    int load = 0;    // jobs on this lane
    int faults = 0;  // faults of its runner since its last good result
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
  std::set<JobId> waiting_;  // those of jobs_ that are on no lane
  std::map<LaneId, Lane> lanes_;
  std::map<uint64_t, Group> groups_;
  std::deque<JobResult> results_;
  uint64_t last_group_ = 0;
  uint64_t sent_ = 0;
};

}  // namespace hone
