#include "tuner/elsewhere/known_elsewhere.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/failure.h"

namespace hone {
namespace {

constexpr int64_t kMostForeignTrials = 4096;
constexpr const char* kColumns[] = {"oc_block", "tile_oc"};

// Whether the failure is the machine's and not the candidate's. Such a trial is measured again.
bool SaysNothing(const Measurement& measurement) {
  return measurement.fate == Fate::kRunnerLost || measurement.fate == Fate::kCancelled ||
         BlamesForMachine(measurement.fate, measurement.message);
}

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

// The text under which foreign trials of the workload are stored: without epilogue and prologue, and with matrices as
// batch x rows x reduction.
std::string ForeignText(Workload workload) {
  workload.epilogue = EpilogueClass::kNone;
  workload.prologue = Prologue::kNone;
  if (workload.is_batch_matmul()) {
    const int64_t weights = workload.weight[workload.OperandAxes(1).find('B')];
    workload.data = {workload.Extent('B'), workload.Extent('M'), workload.Extent('K')};
    workload.weight = {weights, workload.Extent('N'), workload.Extent('K')};
    workload.layouts = "BMK,BNK,BMN";
  }
  return workload.ToText();
}

// A template is written for one architecture, which is the end of its name.
bool SameArchitecture(std::string_view task, std::string_view triple) {
  const auto begins = [&](std::string_view name) { return triple.starts_with(name); };
  if (task.ends_with(".x86")) return begins("x86_64") || begins("amd64") || begins("i686");
  return task.ends_with(".arm_cpu") && (begins("aarch64") || begins("arm"));
}

double Log2(int64_t value) { return std::log2(static_cast<double>(std::max<int64_t>(value, 1))); }

double Columns(const Config& config) {
  double columns = 0;
  for (const char* knob : kColumns) columns += Log2(config.Get(knob, 1));
  return columns;
}

// Orders the fastest trial of each target first, then the second of each, and so on.
std::vector<ForeignTrial> InTurn(std::vector<ForeignTrial> trials) {
  std::map<std::string, int64_t> seen;
  std::vector<std::pair<int64_t, ForeignTrial>> placed;
  for (ForeignTrial& trial : trials) {
    const int64_t place = seen[trial.target]++;
    placed.emplace_back(place, std::move(trial));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ForeignTrial> in_turn;
  for (auto& [place, trial] : placed) in_turn.push_back(std::move(trial));
  return in_turn;
}

// Among equally near proposals the one with the best estimate; null when the space has none of the schedule.
const Proposal* Nearest(const SearchSpace& space, const ForeignTrial& trial) {
  const Proposal* nearest = nullptr;
  double least = 0;
  for (const SearchSpace::Ranked& ranked : space.ranked()) {
    if (ranked.proposal.schedule != trial.schedule) continue;
    const double distance = ForeignDistance(ranked.proposal.config, trial.config);
    if (nearest != nullptr && distance >= least) continue;
    nearest = &ranked.proposal;
    least = distance;
  }
  return nearest;
}

}  // namespace

bool CountsHere(const Record& record, const SearchSpace& space, const MeasuredHere& here) {
  const Schedule* schedule = space.Find(record.candidate.schedule);
  const Fingerprint there = FingerprintOf(record.measurement.environment);
  return schedule != nullptr && schedule->version() == record.schedule_version &&
         SetupOf(record).target == here.setup.target && !SaysNothing(record.measurement) &&
         (!there.known() || there == here.setup.machine);
}

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

std::vector<Proposal> ForeignSeeds(const RecordStore& store, const Workload& workload, const SearchSpace& space,
                                   const Target& target, size_t most) {
  std::vector<ForeignTrial> trials = store.FindForeign(ForeignText(workload), kMostForeignTrials);
  std::erase_if(trials, [&](const ForeignTrial& trial) {
    return trial.fate != Fate::kOk || !SameArchitecture(trial.task, target.triple);
  });
  std::vector<Proposal> seeds;
  std::set<std::string> keys;
  for (const ForeignTrial& trial : InTurn(std::move(trials))) {
    if (seeds.size() == most) break;
    const Proposal* nearest = Nearest(space, trial);
    if (nearest != nullptr && keys.insert(space.Key(*nearest)).second) seeds.push_back(*nearest);
  }
  return seeds;
}

double ForeignDistance(const Config& config, const Config& foreign) {
  double distance = std::abs(Columns(config) - Columns(foreign));
  for (const auto& [knob, value] : foreign.values()) {
    if (std::find(std::begin(kColumns), std::end(kColumns), knob) != std::end(kColumns)) continue;
    distance += std::abs(Log2(config.Get(knob, 1)) - Log2(value));
  }
  return distance;
}

}  // namespace hone
