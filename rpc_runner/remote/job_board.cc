#include "rpc_runner/remote/job_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace hone {

void JobBoard::Add(JobMessage message, uint64_t group) {
  const JobId id = message.id;
  const auto job = jobs_.emplace(id, Job{std::move(message), group}).first;
  waiting_.insert(id);
  if (group == 0) return;
  const auto known = groups_.find(group);
  if (known == groups_.end() || known->second.lost) {
    End(job, FailedMeasurement(Fate::kRunnerLost, 0, "the runner that timed its companions was lost"));
  }
}

uint64_t JobBoard::OpenGroup() {
  groups_[++last_group_] = {};
  return last_group_;
}

void JobBoard::CloseGroup(uint64_t group) { groups_.erase(group); }

void JobBoard::OpenLane(LaneId lane) { lanes_[lane] = {}; }

void JobBoard::LoseLane(LaneId lane) {
  lanes_.erase(lane);
  for (auto& [number, group] : groups_) group.lost = group.lost || group.lane == lane;
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto job = it++;
    const auto group = groups_.find(job->second.group);
    if (group != groups_.end() && group->second.lost) {
      End(job, FailedMeasurement(Fate::kRunnerLost, 0, "the runner that timed its companions was lost"));
    } else if (job->second.lane == lane) {
      Withdrawn({lane, job->first});
      if (++job->second.message.attempt <= kMostAttempts) continue;
      End(job, FailedMeasurement(Fate::kRunnerLost, 0, fmt::format("{} runners were lost under it", kMostAttempts)));
    }
  }
}

std::optional<LaneId> JobBoard::BrokenLane() const {
  const auto broken =
      std::find_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane.second.faults >= kMostFaults; });
  return broken == lanes_.end() ? std::nullopt : std::optional(broken->first);
}

void JobBoard::DrainLane(LaneId lane) {
  if (const auto it = lanes_.find(lane); it != lanes_.end()) it->second.draining = true;
}

std::optional<LaneId> JobBoard::DrainedLane() {
  for (const auto& [id, lane] : lanes_) {
    if (!lane.draining || Load(id) > 0) continue;
    const LaneId drained = id;
    lanes_.erase(drained);
    return drained;
  }
  return std::nullopt;
}

std::optional<LaneId> JobBoard::LaneToSpare() const {
  std::optional<LaneId> least;
  for (const auto& [id, lane] : lanes_) {
    if (Groups(id) > 0) continue;
    if (!least || Load(id) < Load(*least)) least = id;
  }
  return lanes_.size() > 1 ? least : std::nullopt;
}

bool JobBoard::draining() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane.second.draining; });
}

void JobBoard::Move(JobId id, Job& job, LaneId lane) {
  lane == 0 ? static_cast<void>(waiting_.insert(id)) : static_cast<void>(waiting_.erase(id));
  if (const auto from = lanes_.find(job.lane); from != lanes_.end()) --from->second.load;
  if (const auto to = lanes_.find(lane); to != lanes_.end()) ++to->second.load;
  job.lane = lane;
  job.asked = job.kept = false;
}

int JobBoard::Load(LaneId lane) const {
  const auto it = lanes_.find(lane);
  return it == lanes_.end() ? 0 : it->second.load;
}

int JobBoard::Groups(LaneId lane) const {
  return static_cast<int>(
      std::count_if(groups_.begin(), groups_.end(), [&](const auto& group) { return group.second.lane == lane; }));
}

bool JobBoard::Takes(LaneId lane) const {
  const auto it = lanes_.find(lane);
  return it != lanes_.end() && !it->second.draining && !it->second.closed_for_now && Load(lane) < kDepth;
}

// Returns 0 if no lane has room. `but` is chosen only if there is no other.
LaneId JobBoard::LeastLoaded(bool few_groups, LaneId but) const {
  LaneId least = 0;
  const auto rank = [&](LaneId lane) {
    return std::make_tuple(lane == but, few_groups ? Groups(lane) : 0, Load(lane), lane);
  };
  for (const auto& [id, lane] : lanes_) {
    if (Takes(id) && (least == 0 || rank(id) < rank(least))) least = id;
  }
  return least;
}

LaneId JobBoard::LaneFor(const Job& job) {
  const auto group = groups_.find(job.group);
  if (group == groups_.end()) {
    const LaneId least = LeastLoaded(false, job.failed);
    return least == job.failed && lanes_.size() > 1 ? 0 : least;
  }
  LaneId& bound = group->second.lane;
  if (bound == 0) bound = LeastLoaded(true);
  return Takes(bound) ? bound : 0;
}

std::optional<JobBoard::Place> JobBoard::NextToSend() {
  if (LeastLoaded(false) == 0) return std::nullopt;
  for (const JobId id : waiting_) {
    Job& job = jobs_.at(id);
    const LaneId lane = LaneFor(job);
    if (lane == 0) continue;
    Move(id, job, lane);
    job.sent = ++sent_;
    return Place{lane, id};
  }
  return std::nullopt;
}

// The movable job that was sent last: it would wait longest. jobs_.end() if there is none.
JobBoard::Jobs::iterator JobBoard::LastMovable(LaneId lane) {
  auto last = jobs_.end();
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    const Job& job = it->second;
    if (job.lane != lane || job.asked || job.kept || groups_.count(job.group) > 0) continue;
    if (last == jobs_.end() || job.sent > last->second.sent) last = it;
  }
  return last;
}

// The lane's load once all jobs that wait here or were asked back have gone to it.
int JobBoard::ComingTo(LaneId lane) const {
  const auto comes = [this](const auto& job) {
    return (job.second.lane == 0 || job.second.asked) && groups_.count(job.second.group) == 0;
  };
  return Load(lane) + static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), comes));
}

std::optional<JobBoard::Place> JobBoard::Ask(Jobs::iterator job) {
  job->second.asked = true;
  return Place{job->second.lane, job->first};
}

std::optional<JobBoard::Place> JobBoard::NextToWithdraw() {
  for (const auto& [id, lane] : lanes_) {
    if (!lane.draining) continue;
    if (const auto job = LastMovable(id); job != jobs_.end()) return Ask(job);
  }
  const LaneId least = LeastLoaded(false);
  if (least == 0) return std::nullopt;
  // The usual case: no lane has two jobs more than the least loaded one.
  const int least_load = Load(least);
  if (std::none_of(lanes_.begin(), lanes_.end(), [&](const auto& l) { return l.second.load > least_load + 1; })) {
    return std::nullopt;
  }
  auto most = jobs_.end();
  int most_load = ComingTo(least) + 1;
  for (const auto& [id, lane] : lanes_) {
    if (lane.load <= most_load) continue;
    const auto job = LastMovable(id);
    if (job == jobs_.end()) continue;
    most = job;
    most_load = Load(id);
  }
  return most == jobs_.end() ? std::nullopt : Ask(most);
}

void JobBoard::Refused(Place place) {
  Withdrawn(place);
  if (const auto it = lanes_.find(place.lane); it != lanes_.end()) it->second.closed_for_now = true;
}

void JobBoard::Reopen(LaneId lane) {
  if (const auto it = lanes_.find(lane); it != lanes_.end()) it->second.closed_for_now = false;
}

void JobBoard::Withdrawn(Place place) {
  const auto job = jobs_.find(place.job);
  if (job == jobs_.end() || job->second.lane != place.lane) return;
  Move(job->first, job->second, 0);
}

void JobBoard::Kept(Place place) {
  const auto job = jobs_.find(place.job);
  if (job == jobs_.end() || job->second.lane != place.lane) return;
  job->second.asked = false;
  job->second.kept = true;
}

JobMessage* JobBoard::Find(JobId job) {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? nullptr : &it->second.message;
}

std::vector<JobId> JobBoard::JobsOf(LaneId lane) const {
  std::vector<JobId> jobs;
  for (const auto& [id, job] : jobs_) {
    if (job.lane == lane) jobs.push_back(id);
  }
  return jobs;
}

// Keeps jobs from the runner where they failed: a runner that fails at once is always the least loaded, and would
// otherwise take every job.
bool JobBoard::TryElsewhere(Jobs::iterator job, LaneId lane) {
  if (groups_.count(job->second.group) > 0 || job->second.message.attempt >= kMostAttempts) return false;
  ++job->second.message.attempt;
  job->second.failed = lane;
  Withdrawn({lane, job->first});
  return true;
}

bool JobBoard::TakeResult(LaneId lane, ResultMessage result) {
  const auto job = jobs_.find(result.id);
  if (job == jobs_.end() || job->second.lane != lane || job->second.message.attempt != result.attempt) return false;
  const bool is_fault = result.measurement.fate == Fate::kRunnerLost;
  // A job that one machine refuses may succeed on another.
  const bool elsewhere = is_fault || result.measurement.fate == Fate::kCancelled;
  if (const auto it = lanes_.find(lane); it != lanes_.end()) it->second.faults = is_fault ? it->second.faults + 1 : 0;
  if (elsewhere && TryElsewhere(job, lane)) return false;
  End(job, std::move(result.measurement), std::move(result.cost), std::move(result.outputs));
  return true;
}

void JobBoard::Fail(JobId job, Fate fate, const std::string& message) {
  if (const auto it = jobs_.find(job); it != jobs_.end()) End(it, FailedMeasurement(fate, 0, message));
}

void JobBoard::FailAll(Fate fate, const std::string& message) {
  while (!jobs_.empty()) End(jobs_.begin(), FailedMeasurement(fate, 0, message));
}

void JobBoard::End(Jobs::iterator job, Measurement measurement, JobCost cost, std::string outputs) {
  Move(job->first, job->second, 0);
  waiting_.erase(job->first);
  results_.push_back({job->first, std::move(measurement), std::move(cost), std::move(outputs)});
  jobs_.erase(job);
}

bool JobBoard::PopResult(JobResult* result) {
  if (results_.empty()) return false;
  *result = std::move(results_.front());
  results_.pop_front();
  return true;
}

}  // namespace hone
