#include "tuner/finals_stage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/random.h"
#include "tuner/choose_finalists.h"
#include "tuner/finals_outcome.h"
#include "tuner/interleaved_rounds.h"

namespace hone {
namespace {

constexpr int64_t kLeastSampleNs = 100'000;

// Of one round of one finalist: what a trial takes besides its three samples, and the samples.
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
    // Those that failed come behind all others.
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

int64_t FinalsStage::ExpectedNs(const std::vector<TuningTask>& tasks) {
  int64_t total_ns = 0;
  for (const TuningTask& task : tasks) {
    if (task.finals.due && task.best_ns() > 0) total_ns += CostNs(task, kChallengers + 1);
  }
  return total_ns;
}

void FinalsStage::Hold(std::vector<TuningTask>& tasks, const std::function<void(const TuningTask&)>& observe) {
  const std::vector<TuningTask*> due = HeaviestFirst(tasks);
  for (size_t i = 0; i < due.size() && !frame_.stopping(); ++i) {
    int64_t one_each_ns = 0;
    for (size_t later = i; later < due.size(); ++later) one_each_ns += CostNs(*due[later], 1);
    const int64_t left_ns = frame_.time_left_ns();
    const int64_t challengers = std::clamp<int64_t>(left_ns / one_each_ns - 1, 1, kChallengers);
    if (CostNs(*due[i], 2) > left_ns) continue;
    if (HoldOne(*due[i], static_cast<int>(challengers)) && observe) observe(*due[i]);
  }
  for (TuningTask& task : tasks) {
    if (const auto outcome = OutcomeOf(task.finals.last)) task.Settle(*outcome);
  }
}

bool FinalsStage::HoldOne(TuningTask& task, int challengers) {
  const std::vector<Trial> finalists = Compile(task, challengers);
  if (finalists.size() < 2) return false;
  std::vector<Record> records = Measure(task, finalists);
  const auto outcome = OutcomeOf(records);
  if (!outcome) return false;
  SetPlaces(records, *outcome);
  store_.Append(records);
  task.finals.held = records.front().finals.held;
  task.finals.due = false;
  task.finals.last = std::move(records);
  task.Settle(*outcome);
  return true;
}

// Those that compile, and of equal kernels the first one.
std::vector<Trial> FinalsStage::Compile(const TuningTask& task, int challengers) const {
  std::vector<Trial> finalists;
  std::set<std::string> kernels;
  for (const Proposal& proposal : ChooseFinalists(task, challengers)) {
    Trial trial;
    trial.proposal = proposal;
    trial.candidate = {task.workload(), proposal.schedule, proposal.config, frame_.options.target};
    trial.built = tools_.compile(trial.candidate);
    trial.timing.cache = frame_.options.cache;
    trial.timing.threads = frame_.options.threads;
    trial.timing.min_samples = trial.timing.max_samples = kSamples;
    const Artifact* artifact = std::get_if<Artifact>(&trial.built);
    if (artifact == nullptr && finalists.empty()) return {};  // without the incumbent there is nothing to compare with
    if (artifact != nullptr && kernels.insert(artifact->object_sha256).second) finalists.push_back(std::move(trial));
  }
  return finalists;
}

std::vector<Record> FinalsStage::Measure(TuningTask& task, const std::vector<Trial>& finalists) {
  if (!task.reference) task.reference = tools_.reference(task.workload(), frame_.options.target);
  std::vector<KernelJob> jobs;
  jobs.reserve(finalists.size());
  for (const Trial& trial : finalists) {
    jobs.push_back({std::get<Artifact>(trial.built), *task.reference,
                    task.space().Find(trial.proposal.schedule)->tolerance(), frame_.seeds, trial.timing});
  }
  Random random(frame_.options.seed + static_cast<uint64_t>(task.finals.held));
  const auto results = InterleavedRounds(runner_, jobs, kRounds, random, tools_,
                                         [this] { return frame_.stopping() || frame_.time_left_ns() <= 0; });
  std::vector<Record> records;
  for (size_t f = 0; f < results.size(); ++f) {
    for (size_t round = 0; round < results[f].size(); ++round) {
      Trial trial = finalists[f];
      trial.measurement = results[f][round];
      Record record = MakeRecord(
          trial, {frame_.session, tools_.llvm_version, tools_.unix_ms(), task.space().Find(trial.proposal.schedule)});
      record.finals = {task.finals.held + 1, static_cast<int>(round) + 1, 1, f == 0};
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace hone
