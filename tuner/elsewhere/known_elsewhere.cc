#include "tuner/elsewhere/known_elsewhere.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

const Schedule* ScheduleOf(const SearchTask& task, const std::string& name) {
  for (const Schedule* schedule : task.schedules) {
    if (schedule->name() == name) return schedule;
  }
  return FindSchedule(name);
}

bool Teaches(const Record& record, const SearchTask& task) {
  const Schedule* schedule = ScheduleOf(task, record.candidate.schedule);
  return !record.measurement.noisy && record.measurement.MinNs() > 0 && schedule != nullptr &&
         schedule->version() == record.schedule_version;
}

std::vector<Record> Looked(const RecordStore& store, const std::string& workload, CacheMode cache, int64_t limit) {
  RecordQuery query;
  query.workload = workload;
  query.fate = Fate::kOk;
  query.cache = cache;
  query.limit = limit;
  return store.Find(query);
}

// One lesson per setup, except for `skipped`.
std::vector<Lesson> BySetup(const std::vector<Record>& records, const SearchTask& task, const Setup* skipped) {
  std::vector<Setup> setups;
  std::vector<Lesson> lessons;
  for (const Record& record : records) {
    const Setup setup = SetupOf(record);
    if (!Teaches(record, task) || (skipped != nullptr && setup == *skipped)) continue;
    const auto at = static_cast<size_t>(std::find(setups.begin(), setups.end(), setup) - setups.begin());
    if (at == setups.size()) {
      if (at == kMostSetups) continue;
      setups.push_back(setup);
      const Candidate& candidate = record.candidate;
      lessons.push_back(
          {{candidate.workload, MachineModelFor(candidate.target, setup.threads), task.schedules, nullptr}, {}});
    }
    lessons[at].observations.push_back(
        {{record.candidate.schedule, record.candidate.config}, true, record.measurement.MinNs()});
  }
  return lessons;
}

// Workloads that are not among the run's own, the nearest first.
std::vector<std::string> NearestOthers(const RecordStore& store, const Workload& workload,
                                       const std::vector<std::string>& own) {
  std::vector<std::pair<double, std::string>> others;
  for (const std::string& text : store.Workloads()) {
    if (std::find(own.begin(), own.end(), text) != own.end()) continue;
    const Workload other = Workload::Parse(text);
    if (Alike(workload, other)) others.emplace_back(DoublingsApart(workload, other), text);
  }
  std::sort(others.begin(), others.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(kMostWorkloads, others.size()); ++i) nearest.push_back(others[i].second);
  return nearest;
}

}  // namespace

bool Alike(const Workload& a, const Workload& b) { return a.op == b.op && a.is_depthwise() == b.is_depthwise(); }

double DoublingsApart(const Workload& a, const Workload& b) {
  double doublings = a.epilogue == b.epilogue ? 0 : 0.5;
  const auto add = [&doublings](int64_t x, int64_t y) {
    doublings += std::abs(
        std::log2(static_cast<double>(std::max<int64_t>(1, x)) / static_cast<double>(std::max<int64_t>(1, y))));
  };
  for (size_t d = 0; d < std::min(a.data.size(), b.data.size()); ++d) add(a.data[d], b.data[d]);
  for (size_t d = 0; d < std::min(a.weight.size(), b.weight.size()); ++d) add(a.weight[d], b.weight[d]);
  for (size_t d = 0; d < a.strides.size(); ++d) add(a.strides[d], b.strides[d]);
  return doublings;
}

std::vector<Lesson> LessonsFrom(const RecordStore& store, const SearchTask& task, const MeasuredHere& here) {
  // Reads all records, because the first ones may be of this setup.
  std::vector<Lesson> lessons = BySetup(Looked(store, task.workload.ToText(), here.setup.cache, 0), task, &here.setup);
  for (const std::string& other : NearestOthers(store, task.workload, here.workloads)) {
    for (Lesson& lesson : BySetup(Looked(store, other, here.setup.cache, kLooked), task, nullptr))
      lessons.push_back(std::move(lesson));
  }
  return lessons;
}

}  // namespace hone
