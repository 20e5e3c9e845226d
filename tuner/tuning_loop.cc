#include "tuner/tuning_loop.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/failure.h"
#include "core/json/serialize.h"
#include "core/machine/available_threads.h"
#include "core/random.h"
#include "tuner/finals/finals_stage.h"
#include "tuner/trial.h"

namespace hone {
namespace {

// The number of a task's observations that are passed to another task.
constexpr size_t kTransferred = 64;

// At most `most` observations, from the fastest to the slowest in even steps.
std::vector<Observation> Spread(std::vector<Observation> all, size_t most) {
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.min_ns < b.min_ns; });
  if (all.size() <= most) return all;
  std::vector<Observation> some;
  some.reserve(most);
  for (size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

// Adds the budget as it was asked for to the run's json, for those who watch the store. The id stays.
TuningRun WithBudget(TuningRun run, const Budget& budget, int64_t now_unix_ms) {
  Json asked = ParseJson(run.json, "a tuning run");
  const int64_t asked_ns = budget.asked_ns > 0 ? budget.asked_ns : budget.time_ns;
  asked["budget"] = {{"ms", asked_ns / 1'000'000},
                     {"trials", budget.trials},
                     {"begun_unix_ms", now_unix_ms - budget.spent_ns / 1'000'000}};
  run.json = DumpJson(asked);
  return run;
}

}  // namespace

TuningLoop::TuningLoop(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                       const TuneTools& tools, std::function<void(const TuneEvent&)> observe,
                       const std::atomic<bool>* stop)
    : options_(options),
      runner_(runner),
      store_(store),
      tools_(tools),
      observe_(std::move(observe)),
      stop_(stop),
      watch_(runner_, tools_, options.runner_patience_ns, [this](const std::string& why) { EmitWaiting(why); }),
      run_(MakeTuningRun(options)) {
  Random random(options.seed);
  seeds_ = {random.Next(), random.Next()};
  const MachineModel machine = options.context.machine();
  for (const Task& task : tasks) {
    const SearchTask search{task.workload, machine, SchedulesOf(tools, task.workload, options.context), nullptr};
    tasks_.emplace_back(task, search, options.strategy, random.Next(), options.budget.early_stopping);
  }
}

TuneReport TuningLoop::Run() {
  begun_ns_ = tools_.now_ns();
  here_ = {
      SetupOf(options_.context.target, FingerprintOf(runner_.Describe()), options_.context.threads, options_.cache),
      {}};
  std::vector<TaskReport> begun;
  for (TuningTask& task : tasks_) {
    here_.workloads.push_back(task.text());
    if (tools_.before) task.SetBefore(tools_.before(task.workload()));
    begun.push_back(task.report());
  }
  run_ = WithTasks(std::move(run_), begun, options_.images);
  run_ = WithBudget(std::move(run_), options_.budget, tools_.unix_ms ? tools_.unix_ms() : 0);
  store_.PutRun(run_);
  others_.emplace(store_, here_);
  Resume();
  Search();
  HoldFinals();
  TuneReport report = Report();
  run_.state = report.interrupted ? "interrupted" : report.no_runner.empty() ? "done" : "runners lost";
  store_.PutRun(run_);
  Emit(TuneEventKind::kDone, nullptr, nullptr);
  return report;
}

void TuningLoop::Resume() {
  for (TuningTask& task : tasks_) {
    ResumeTask(task);
    StopAtPlateau(task);
  }
}

// A run's own finals are no trials: they leave the search unchanged. Others' finals count as ordinary measurements.
bool TuningLoop::ResumeFinals(TuningTask& task, const Record& record) const {
  const FinalsPart& part = record.finals;
  if (part.place == 1) task.finals.incumbent = Proposal{record.candidate.schedule, record.candidate.config};
  if (record.session != run_.id) return false;
  task.finals.due = part.held == 0;
  if (part.held == 0) return false;
  if (part.held != task.finals.held) task.finals.last.clear();
  task.finals.held = part.held;
  task.finals.last.push_back(record);
  return true;
}

void TuningLoop::ResumeTask(TuningTask& task) {
  RecordQuery query;
  query.workload = task.text();
  query.threads = options_.context.threads;
  query.cache = options_.cache;
  std::map<std::string, const Record*> own;  // the last attempt at a trial stands
  const std::vector<Record> records = store_.Find(query);
  for (const Record& record : records) {
    to_heal_ += BlamesForMachine(record.measurement.fate, record.measurement.message);
    if (!CountsHere(record, task.space(), here_)) continue;
    const Proposal proposal{record.candidate.schedule, record.candidate.config};
    if (ResumeFinals(task, record)) continue;
    if (record.session != run_.id) {
      task.Learn(proposal, record.measurement);
    } else {
      own[task.space().Key(proposal)] = &record;
    }
  }
  for (const Record& record : records) {
    const Proposal proposal{record.candidate.schedule, record.candidate.config};
    const auto last = own.find(task.space().Key(proposal));
    if (last == own.end() || last->second != &record) continue;
    task.Observe(proposal, record.measurement);
    ++resumed_;
  }
}

int64_t TuningLoop::TimeLeftNs() const {
  const int64_t budget_ns = options_.budget.time_ns;
  return budget_ns > 0 ? budget_ns - elapsed_ns() : std::numeric_limits<int64_t>::max();
}

std::vector<TaskProgress> TuningLoop::ProgressOfAll() const {
  std::vector<TaskProgress> progress(tasks_.size());
  std::transform(tasks_.begin(), tasks_.end(), progress.begin(),
                 [](const TuningTask& task) { return task.Progress(); });
  return progress;
}

bool TuningLoop::GainsTooLittle() const {
  if (options_.budget.until_gain <= 0) return false;
  return ExpectedGain(ProgressOfAll(), kBatch) < options_.budget.until_gain;
}

int64_t TuningLoop::TrialsLeft() const {
  if (options_.budget.trials == 0) return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(0, options_.budget.trials - resumed_ - planned_);
}

void TuningLoop::Search() {
  const auto halted = [this] {
    watch_.Look();
    return Halted();
  };
  BatchMeasurer measurer(runner_, store_, tools_, tasks_, {run_.id, seeds_, halted});
  // One batch is measured while the next, planned without its results, is compiled. The learner is a batch behind, and
  // neither the compiler nor the runner waits for the other.
  Batch batch = WaitForCompiler(Compile(PlanBatch()));
  while (!batch.empty()) {
    std::shared_future<Batch> next;
    if (tools_.overlap) next = Compile(PlanBatch());
    measurer.Measure(batch, next);
    Learn(batch);
    for (const auto& trial : batch) others_->Release(*trial);
    if (!tools_.overlap) next = Compile(PlanBatch());
    batch = WaitForCompiler(next);
  }
  measurer.Close();
  costs_.verify_ns = measurer.cost().verify_ns;
  costs_.timing_ns = measurer.cost().timing_ns;
  unanswered_ = measurer.unanswered();
  if (trials_ == 0 && troubles_.not_judged() > 0) troubles_.GiveUp();
}

// Compiles on a thread of its own if that may overlap with measuring; else when the batch is waited for.
std::shared_future<Batch> TuningLoop::Compile(Batch batch) {
  auto compile = [this, batch = std::move(batch)]() mutable {
    CompileBatch(tools_, [this] { return Halted(); }, tasks_, batch);
    return std::move(batch);
  };
  if (tools_.overlap) return AsideOrLater(std::move(compile)).share();
  return std::async(std::launch::deferred, std::move(compile)).share();
}

Batch TuningLoop::WaitForCompiler(const std::shared_future<Batch>& compiling) {
  const int64_t begin_ns = tools_.now_ns();
  Batch batch = compiling.get();
  costs_.compile_ns += tools_.now_ns() - begin_ns;
  return batch;
}

Batch TuningLoop::PlanBatch() {
  while (!Halted()) {
    const int64_t most = std::min(BatchSize(FinalsStage::MachinesOf(runner_)), TrialsLeft());
    if (most == 0) return {};
    Batch batch = PlanDefaults(most);
    if (!batch.empty()) return batch;
    if (GainsTooLittle()) {
      for (TuningTask& task : tasks_) {
        if (!task.stopped()) StopTask(task, "until-gain");
      }
      return {};
    }
    if (NextTask(ProgressOfAll()) < 0) return {};
    batch = PlanShares(most);
    if (!batch.empty()) return batch;
  }
  return {};
}

// kBatch trials of each task, the most promising task first. Many machines at once would teach little about a single
// task.
Batch TuningLoop::PlanShares(int64_t most) {
  std::vector<TaskProgress> progress = ProgressOfAll();
  const auto active = std::count_if(progress.begin(), progress.end(), [](const auto& task) { return !task.stopped; });
  const int64_t share = std::max<int64_t>(kBatch, most / std::max<int64_t>(1, active));
  Batch batch;
  for (int64_t left = most; left > 0; left -= share) {
    const int chosen = NextTask(progress);
    if (chosen < 0) break;
    TuningTask& task = tasks_[static_cast<size_t>(chosen)];
    if (!task.warm) WarmUp(task);
    const size_t before = batch.size();
    AddTrials(static_cast<size_t>(chosen), static_cast<size_t>(std::min(share, left)), batch);
    if (batch.size() == before) StopTask(task, "space spent");
    progress[static_cast<size_t>(chosen)].stopped = true;
  }
  return batch;
}

// Called once, when the task's search proper begins. By then every other task has its default and earlier tasks have
// much more. Records of other machines, thread counts and networks follow, then those of other tuners.
void TuningLoop::WarmUp(TuningTask& task) {
  task.warm = true;
  task.TakeUpBefore();
  for (const TuningTask& other : tasks_) {
    if (&other == &task || !Alike(other.workload(), task.workload())) continue;
    task.Transfer(other.search(), Spread(other.observations(), kTransferred));
  }
  for (const Lesson& lesson : LessonsFrom(store_, task.search(), here_)) {
    task.Transfer(lesson.search, Spread(lesson.observations, kTransferred));
  }
  task.Seed(ForeignSeeds(store_, task.workload(), task.space(), here_.setup.target));
}

// Takes the heaviest tasks first: with a small budget they matter most.
Batch TuningLoop::PlanDefaults(int64_t most) {
  std::vector<size_t> order(tasks_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
    const TaskProgress x = tasks_[a].Progress(), y = tasks_[b].Progress();
    return x.uses * x.estimate_ns > y.uses * y.estimate_ns;
  });
  Batch batch;
  for (const size_t i : order) {
    if (static_cast<int64_t>(batch.size()) == most) break;
    if (tasks_[i].begun()) continue;
    tasks_[i].Begin();
    AddTrials(i, 1, batch);
    if (static_cast<int64_t>(batch.size()) < most && tasks_[i].TakeUpBefore()) AddTrials(i, 1, batch);
  }
  return batch;
}

void TuningLoop::AddTrials(size_t task, size_t most, Batch& batch) {
  for (const Proposal& proposal : others_->Propose(tasks_, task, most)) {
    Trial trial = MakeTrial(tasks_[task].space(), tasks_[task].workload(), proposal, options_.context.target);
    trial.task = task;
    trial.timing.cache = options_.cache;
    trial.timing.threads = options_.context.threads;
    batch.push_back(std::make_shared<Trial>(std::move(trial)));
    ++planned_;
  }
}

void TuningLoop::Learn(const Batch& batch) {
  for (const auto& shared : batch) {
    const Trial& trial = *shared;
    TuningTask& task = tasks_[trial.task];
    if (!trial.done) {
      if (const auto trouble = TroubleOf(trial)) CountTrouble(trial.task, *trouble);
      continue;
    }
    troubles_.Judged();
    ++trials_;
    task.Observe(trial.proposal, trial.measurement);
    task.finals.due = true;
    Emit(TuneEventKind::kTrial, &task, &trial);
  }
  for (TuningTask& task : tasks_) StopAtPlateau(task);
  const auto most_ns = static_cast<int64_t>(FinalsStage::kShare * static_cast<double>(options_.budget.time_ns));
  finals_reserve_ns_ = std::min(most_ns, FinalsStage::ExpectedNs(tasks_, FinalsStage::MachinesOf(runner_)));
}

void TuningLoop::CountTrouble(size_t task, const Failure& trouble) {
  if (tasks_[task].stopped()) return troubles_.AddStopped(trouble);
  switch (troubles_.Add(task, trouble, tasks_.size() > 1 && trials_ > 0)) {
    case TroubleTally::Advice::kGoOn:
      return;
    case TroubleTally::Advice::kStopTask:
      return StopTask(tasks_[task], trouble.reason);
    case TroubleTally::Advice::kGiveUp:
      troubles_.GiveUp();
  }
}

void TuningLoop::HoldFinals() {
  const int64_t begin_ns = tools_.now_ns();
  const auto stopping_or_alone = [this] {
    watch_.Look();
    return stopping() || watch_.is_over();
  };
  FinalsStage stage(runner_, store_, tools_,
                    {options_, run_.id, seeds_, stopping_or_alone, [this] { return TimeLeftNs(); }});
  stage.Hold(tasks_, [this](const TuningTask& task) { Emit(TuneEventKind::kFinals, &task, nullptr); });
  finals_ns_ = tools_.now_ns() - begin_ns;
}

void TuningLoop::StopAtPlateau(TuningTask& task) {
  if (!task.stopped() && task.AtPlateau()) StopTask(task, "plateau");
}

void TuningLoop::StopTask(TuningTask& task, const std::string& why) {
  task.Stop(why);
  Emit(TuneEventKind::kTask, &task, nullptr);
}

}  // namespace hone
