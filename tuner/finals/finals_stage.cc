#include "tuner/finals/finals_stage.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tuner/finals/interleaved_rounds.h"
#include "tuner/finals_outcome.h"
#include "tuner/tuning_task.h"

namespace hone {
namespace {

constexpr int64_t kLeastSampleNs = 100'000;
constexpr double kNearFastest = 1.10;

// The least time of each candidate, fastest first.
std::vector<Observation> Fastest(const TuningTask& task) {
  std::vector<Observation> all = task.observations();
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.min_ns < b.min_ns; });
  std::set<std::string> seen;
  std::erase_if(all, [&](const Observation& o) { return !seen.insert(task.space().Key(o.proposal)).second; });
  return all;
}

// The candidates of a task's finals. The incumbent comes first: the build's choice without this run. It is the winner
// of the last finals, else the analytic default, else the fastest. At most `challengers` others follow by least sample,
// noisy ones included. None is more than 10 % slower than the fastest of all, so a clear lead makes the finals small.
// Empty if there is no challenger.
std::vector<Proposal> ChooseFinalists(const TuningTask& task, int challengers) {
  const std::vector<Observation> fastest = Fastest(task);
  if (fastest.empty()) return {};
  const auto find = [&](const Proposal& wanted) {
    return std::find_if(fastest.begin(), fastest.end(),
                        [&](const Observation& o) { return task.space().Key(o.proposal) == task.space().Key(wanted); });
  };
  auto incumbent = fastest.end();
  if (task.finals.incumbent) incumbent = find(*task.finals.incumbent);
  if (incumbent == fastest.end()) incumbent = find(task.space().ranked().front().proposal);
  if (incumbent == fastest.end()) incumbent = fastest.begin();
  std::vector<Proposal> finalists = {incumbent->proposal};
  const double most_ns = kNearFastest * static_cast<double>(fastest.front().min_ns);
  for (const Observation& o : fastest) {
    if (static_cast<int>(finalists.size()) > challengers || static_cast<double>(o.min_ns) > most_ns) break;
    if (&o != &*incumbent) finalists.push_back(o.proposal);
  }
  return finalists.size() > 1 ? finalists : std::vector<Proposal>();
}

// Time of one round of one finalist: a trial's wall time outside its samples, and the samples.
int64_t JobNs(const TuningTask& task) {
  return task.mean_wall_ns() + FinalsStage::kSamples * std::max(task.best_ns(), kLeastSampleNs);
}

bool Due(const TuningTask& task) { return task.finals.due && !ChooseFinalists(task, 1).empty(); }

int64_t CostNs(const TuningTask& task, int finalists) { return finalists * FinalsStage::kRounds * JobNs(task); }

double ModelNs(const TuningTask& task) {
  const TaskProgress progress = task.Progress();
  return progress.uses * static_cast<double>(progress.best_ns);
}

std::vector<TuningTask*> HeaviestFirst(std::vector<TuningTask>& tasks) {
  std::vector<TuningTask*> order;
  for (TuningTask& task : tasks) {
    if (Due(task)) order.push_back(&task);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return ModelNs(*a) > ModelNs(*b); });
  return order;
}

void SetPlaces(std::vector<Record>& records, const FinalsOutcome& outcome) {
  for (Record& record : records) {
    const Proposal proposal{record.candidate.schedule, record.candidate.config};
    // Finalists that failed rank behind all others.
    record.finals.place = static_cast<int>(outcome.finalists.size()) + 1;
    for (size_t f = 0; f < outcome.finalists.size(); ++f) {
      if (outcome.finalists[f].proposal == proposal) record.finals.place = outcome.verdict.standings[f].place;
    }
    record = Finish(std::move(record));
  }
}

}  // namespace

FinalsStage::FinalsStage(Runner& runner, RecordStore& store, const TuneTools& tools, Frame frame)
    : runner_(runner), store_(store), tools_(tools), frame_(std::move(frame)) {}

int64_t FinalsStage::ExpectedNs(const std::vector<TuningTask>& tasks, int64_t machines) {
  int64_t total_ns = 0;
  for (const TuningTask& task : tasks) {
    if (task.finals.due && task.best_ns() > 0) total_ns += CostNs(task, kChallengers + 1);
  }
  return total_ns / machines;
}

int64_t FinalsStage::MachinesOf(Runner& runner) {
  return std::max<int64_t>(1, static_cast<int64_t>(runner.Machines().size()));
}

void FinalsStage::Hold(std::vector<TuningTask>& tasks, const std::function<void(const TuningTask&)>& observe) {
  const std::vector<TuningTask*> due = HeaviestFirst(tasks);
  for (size_t next = 0; next < due.size() && !frame_.stopping();) {
    std::vector<One> ones = NextOnes(due, &next);
    if (!ones.empty()) HoldAll(ones, observe);
  }
  for (TuningTask& task : tasks) {
    if (const auto outcome = OutcomeOf(task.finals.last)) task.Settle(*outcome);
  }
}

std::vector<FinalsStage::One> FinalsStage::NextOnes(const std::vector<TuningTask*>& due, size_t* next) {
  const auto machines = static_cast<size_t>(MachinesOf(runner_));
  std::vector<One> ones;
  for (; *next < due.size() && ones.size() < machines; ++*next) {
    int64_t one_each_ns = 0;
    for (size_t later = *next; later < due.size(); ++later) one_each_ns += CostNs(*due[later], 1);
    const int64_t left_ns = frame_.time_left_ns();
    if (CostNs(*due[*next], 2) > left_ns) continue;
    const auto share_ns = std::max<int64_t>(1, one_each_ns / static_cast<int64_t>(machines));
    // A task's own rounds run on one machine, however much time the other tasks leave.
    const int64_t most = std::min(left_ns / share_ns, left_ns / std::max<int64_t>(1, CostNs(*due[*next], 1)));
    const int64_t challengers = std::clamp<int64_t>(most - 1, 1, kChallengers);
    One one{due[*next], Compile(*due[*next], static_cast<int>(challengers))};
    if (one.finalists.size() < 2) continue;
    if (!one.task->reference)
      one.task->reference = tools_.reference(one.task->workload(), frame_.options.context.target);
    ones.push_back(std::move(one));
  }
  return ones;
}

void FinalsStage::HoldAll(std::vector<One>& ones, const std::function<void(const TuningTask&)>& observe) {
  std::vector<RoundSet> sets;
  for (const One& one : ones) {
    sets.push_back({JobsOf(one), Random(frame_.options.seed + static_cast<uint64_t>(one.task->finals.held))});
  }
  InterleavedRounds(runner_, sets, kRounds, tools_, [this] { return frame_.stopping() || frame_.time_left_ns() <= 0; });
  for (size_t i = 0; i < ones.size(); ++i) {
    if (Keep(ones[i], sets[i].results) && observe) observe(*ones[i].task);
  }
}

bool FinalsStage::Keep(const One& one, const std::vector<std::vector<Measurement>>& results) {
  std::vector<Record> records = RecordsOf(one, results);
  const auto outcome = OutcomeOf(records);
  if (!outcome) return false;
  SetPlaces(records, *outcome);
  store_.Append(records);
  TuningTask& task = *one.task;
  task.finals.held = records.front().finals.held;
  task.finals.due = false;
  task.finals.last = std::move(records);
  task.Settle(*outcome);
  return true;
}

// The finalists that compile; of equal kernels only the first.
std::vector<Trial> FinalsStage::Compile(const TuningTask& task, int challengers) const {
  std::vector<Trial> finalists;
  std::set<std::string> kernels;
  for (const Proposal& proposal : ChooseFinalists(task, challengers)) {
    Trial trial = MakeTrial(task.space(), task.workload(), proposal, frame_.options.context.target);
    trial.built = tools_.compile(trial.candidate);
    trial.timing.cache = frame_.options.cache;
    trial.timing.threads = frame_.options.context.threads;
    trial.timing.min_samples = trial.timing.max_samples = kSamples;
    const Artifact* artifact = std::get_if<Artifact>(&trial.built);
    if (artifact == nullptr && finalists.empty()) return {};  // without the incumbent there is nothing to compare with
    if (artifact != nullptr && kernels.insert(artifact->object_sha256).second) finalists.push_back(std::move(trial));
  }
  return finalists;
}

std::vector<KernelJob> FinalsStage::JobsOf(const One& one) const {
  std::vector<KernelJob> jobs;
  jobs.reserve(one.finalists.size());
  for (const Trial& trial : one.finalists) jobs.push_back(MakeJob(trial, *one.task->reference, frame_.seeds));
  return jobs;
}

std::vector<Record> FinalsStage::RecordsOf(const One& one, const std::vector<std::vector<Measurement>>& results) const {
  std::vector<Record> records;
  for (size_t f = 0; f < results.size(); ++f) {
    for (size_t round = 0; round < results[f].size(); ++round) {
      Trial trial = one.finalists[f];
      trial.measurement = results[f][round];
      Record record = MakeRecord(trial, frame_.session, tools_);
      record.finals = {one.task->finals.held + 1, static_cast<int>(round) + 1, 1, f == 0};
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace hone
