#include "rpc_runner/remote/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace hone {

void JobQueue::Add(JobMessage message, uint64_t group) {
  const JobId id = message.id;
  const auto job = jobs_.emplace(id, Job{std::move(message), group}).first;
  waiting_.insert(id);
  if (group == 0) return;
  const auto known = groups_.find(group);
  if (known == groups_.end() || known->second.lost) {
    End(job, FailedMeasurement(Fate::kRunnerLost, 0, "the runner that timed its companions was lost"));
  }
}

uint64_t JobQueue::OpenGroup() {
  groups_[++last_group_] = {};
  return last_group_;
}

void JobQueue::CloseGroup(uint64_t group) { groups_.erase(group); }

void JobQueue::AddWorker(WorkerId worker) { workers_[worker] = {}; }

void JobQueue::RemoveLostWorker(WorkerId worker) {
  workers_.erase(worker);
  for (auto& [number, group] : groups_) group.lost = group.lost || group.worker == worker;
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto job = it++;
    const auto group = groups_.find(job->second.group);
    if (group != groups_.end() && group->second.lost) {
      End(job, FailedMeasurement(Fate::kRunnerLost, 0, "the runner that timed its companions was lost"));
    } else if (job->second.worker == worker) {
      MarkReturned({worker, job->first});
      if (++job->second.message.attempt <= kMostAttempts) continue;
      End(job, FailedMeasurement(Fate::kRunnerLost, 0, fmt::format("{} runners were lost under it", kMostAttempts)));
    }
  }
}

std::optional<WorkerId> JobQueue::BrokenWorker() const {
  const auto broken = std::find_if(workers_.begin(), workers_.end(),
                                   [](const auto& worker) { return worker.second.faults >= kMostFaults; });
  return broken == workers_.end() ? std::nullopt : std::optional(broken->first);
}

void JobQueue::DrainWorker(WorkerId worker) {
  if (const auto it = workers_.find(worker); it != workers_.end()) it->second.draining = true;
}

std::optional<WorkerId> JobQueue::DrainedWorker() {
  for (const auto& [id, worker] : workers_) {
    if (!worker.draining || Load(id) > 0) continue;
    const WorkerId drained = id;
    workers_.erase(drained);
    return drained;
  }
  return std::nullopt;
}

std::optional<WorkerId> JobQueue::WorkerToYield() const {
  std::optional<WorkerId> least;
  for (const auto& [id, worker] : workers_) {
    if (GroupsOn(id) > 0) continue;
    if (!least || Load(id) < Load(*least)) least = id;
  }
  return workers_.size() > 1 ? least : std::nullopt;
}

bool JobQueue::draining() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker.second.draining; });
}

void JobQueue::Move(JobId id, Job& job, WorkerId worker) {
  worker == 0 ? static_cast<void>(waiting_.insert(id)) : static_cast<void>(waiting_.erase(id));
  if (const auto from = workers_.find(job.worker); from != workers_.end()) --from->second.load;
  if (const auto to = workers_.find(worker); to != workers_.end()) ++to->second.load;
  job.worker = worker;
  job.asked = job.started = false;
}

int JobQueue::Load(WorkerId worker) const {
  const auto it = workers_.find(worker);
  return it == workers_.end() ? 0 : it->second.load;
}

int JobQueue::GroupsOn(WorkerId worker) const {
  return static_cast<int>(
      std::count_if(groups_.begin(), groups_.end(), [&](const auto& group) { return group.second.worker == worker; }));
}

bool JobQueue::HasRoom(WorkerId worker) const {
  const auto it = workers_.find(worker);
  return it != workers_.end() && !it->second.draining && !it->second.is_full && Load(worker) < kDepth;
}

// Returns 0 if no worker has room. `avoid` is chosen only if there is no other.
WorkerId JobQueue::LeastLoaded(bool few_groups, WorkerId avoid) const {
  WorkerId least = 0;
  const auto rank = [&](WorkerId worker) {
    return std::make_tuple(worker == avoid, few_groups ? GroupsOn(worker) : 0, Load(worker), worker);
  };
  for (const auto& [id, worker] : workers_) {
    if (HasRoom(id) && (least == 0 || rank(id) < rank(least))) least = id;
  }
  return least;
}

WorkerId JobQueue::WorkerFor(const Job& job) {
  const auto group = groups_.find(job.group);
  if (group == groups_.end()) {
    const WorkerId least = LeastLoaded(false, job.failed);
    return least == job.failed && workers_.size() > 1 ? 0 : least;
  }
  WorkerId& bound = group->second.worker;
  if (bound == 0) bound = LeastLoaded(true);
  return HasRoom(bound) ? bound : 0;
}

std::optional<JobQueue::Place> JobQueue::NextToSend() {
  if (LeastLoaded(false) == 0) return std::nullopt;
  for (const JobId id : waiting_) {
    Job& job = jobs_.at(id);
    const WorkerId worker = WorkerFor(job);
    if (worker == 0) continue;
    Move(id, job, worker);
    job.sent = ++sent_;
    return Place{worker, id};
  }
  return std::nullopt;
}

// The movable job that was sent last: it would wait longest. jobs_.end() if there is none.
JobQueue::Jobs::iterator JobQueue::LastMovable(WorkerId worker) {
  auto last = jobs_.end();
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    const Job& job = it->second;
    if (job.worker != worker || job.asked || job.started || groups_.count(job.group) > 0) continue;
    if (last == jobs_.end() || job.sent > last->second.sent) last = it;
  }
  return last;
}

// The worker's load once all jobs that wait here or were asked back have gone to it.
int JobQueue::LoadWithPending(WorkerId worker) const {
  const auto comes = [this](const auto& job) {
    return (job.second.worker == 0 || job.second.asked) && groups_.count(job.second.group) == 0;
  };
  return Load(worker) + static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), comes));
}

std::optional<JobQueue::Place> JobQueue::MarkAsked(Jobs::iterator job) {
  job->second.asked = true;
  return Place{job->second.worker, job->first};
}

std::optional<JobQueue::Place> JobQueue::NextToWithdraw() {
  for (const auto& [id, worker] : workers_) {
    if (!worker.draining) continue;
    if (const auto job = LastMovable(id); job != jobs_.end()) return MarkAsked(job);
  }
  const WorkerId least = LeastLoaded(false);
  if (least == 0) return std::nullopt;
  // The usual case: no worker has two jobs more than the least loaded one.
  const int least_load = Load(least);
  if (std::none_of(workers_.begin(), workers_.end(), [&](const auto& l) { return l.second.load > least_load + 1; })) {
    return std::nullopt;
  }
  auto most = jobs_.end();
  int most_load = LoadWithPending(least) + 1;
  for (const auto& [id, worker] : workers_) {
    if (worker.load <= most_load) continue;
    const auto job = LastMovable(id);
    if (job == jobs_.end()) continue;
    most = job;
    most_load = Load(id);
  }
  return most == jobs_.end() ? std::nullopt : MarkAsked(most);
}

void JobQueue::MarkFull(Place place) {
  MarkReturned(place);
  if (const auto it = workers_.find(place.worker); it != workers_.end()) it->second.is_full = true;
}

void JobQueue::MarkNotFull(WorkerId worker) {
  if (const auto it = workers_.find(worker); it != workers_.end()) it->second.is_full = false;
}

void JobQueue::MarkReturned(Place place) {
  const auto job = jobs_.find(place.job);
  if (job == jobs_.end() || job->second.worker != place.worker) return;
  Move(job->first, job->second, 0);
}

void JobQueue::MarkStarted(Place place) {
  const auto job = jobs_.find(place.job);
  if (job == jobs_.end() || job->second.worker != place.worker) return;
  job->second.asked = false;
  job->second.started = true;
}

JobMessage* JobQueue::Find(JobId job) {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? nullptr : &it->second.message;
}

std::vector<JobId> JobQueue::JobsOf(WorkerId worker) const {
  std::vector<JobId> jobs;
  for (const auto& [id, job] : jobs_) {
    if (job.worker == worker) jobs.push_back(id);
  }
  return jobs;
}

// Keeps jobs from the runner where they failed: a runner that fails at once is always the least loaded, and would
// otherwise take every job.
bool JobQueue::TryElsewhere(Jobs::iterator job, WorkerId worker) {
  if (groups_.count(job->second.group) > 0 || job->second.message.attempt >= kMostAttempts) return false;
  ++job->second.message.attempt;
  job->second.failed = worker;
  MarkReturned({worker, job->first});
  return true;
}

bool JobQueue::TakeResult(WorkerId worker, ResultMessage result) {
  const auto job = jobs_.find(result.id);
  if (job == jobs_.end() || job->second.worker != worker || job->second.message.attempt != result.attempt) return false;
  const bool is_fault = result.measurement.fate == Fate::kRunnerLost;
  // A job that one machine refuses may succeed on another.
  const bool elsewhere = is_fault || result.measurement.fate == Fate::kCancelled;
  if (const auto it = workers_.find(worker); it != workers_.end())
    it->second.faults = is_fault ? it->second.faults + 1 : 0;
  if (elsewhere && TryElsewhere(job, worker)) return false;
  End(job, std::move(result.measurement), std::move(result.cost), std::move(result.outputs), std::move(result.runtime));
  return true;
}

void JobQueue::Fail(JobId job, Fate fate, const std::string& message) {
  if (const auto it = jobs_.find(job); it != jobs_.end()) End(it, FailedMeasurement(fate, 0, message));
}

void JobQueue::FailAll(Fate fate, const std::string& message) {
  while (!jobs_.empty()) End(jobs_.begin(), FailedMeasurement(fate, 0, message));
}

void JobQueue::End(Jobs::iterator job, Measurement measurement, JobCost cost, std::string outputs,
                   std::optional<RuntimeFacts> runtime) {
  Move(job->first, job->second, 0);
  waiting_.erase(job->first);
  results_.push_back({job->first, std::move(measurement), std::move(cost), std::move(outputs), std::move(runtime)});
  jobs_.erase(job);
}

bool JobQueue::PopResult(JobResult* result) {
  if (results_.empty()) return false;
  *result = std::move(results_.front());
  results_.pop_front();
  return true;
}

void SuspectResults::Add(WorkerId worker, JobId job) {
  results_[job].worker = worker;
  // Job numbers grow with time, so the first is the oldest.
  if (results_.size() > kMost) results_.erase(results_.begin());
}

void SuspectResults::MarkDelivered(JobId job) {
  if (const auto it = results_.find(job); it != results_.end()) it->second.delivered = true;
}

void SuspectResults::MarkSuspect(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why) {
  for (const JobId job : jobs) {
    const auto it = results_.find(job);
    if (it == results_.end() || it->second.worker != worker || !it->second.why.empty()) continue;
    it->second.why = why.empty() ? "doubted" : why;
    suspects_.push_back(job);
  }
}

std::vector<SuspectResult> SuspectResults::Take() {
  std::vector<SuspectResult> taken;
  std::erase_if(suspects_, [&](JobId job) {
    const auto it = results_.find(job);
    if (it == results_.end()) return true;
    if (it->second.delivered) taken.push_back({job, it->second.why});
    return it->second.delivered;
  });
  return taken;
}

}  // namespace hone
