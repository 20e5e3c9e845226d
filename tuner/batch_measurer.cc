#include "tuner/batch_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/error.h"
#include "db/verdicts/row_verdicts.h"
#include "tuner/finals/finals_stage.h"

namespace hone {
namespace {

bool IsBuilt(const std::shared_future<Batch>& batch) {
  return batch.valid() && batch.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

BatchMeasurer::BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools,
                             const std::vector<TuningTask>& tasks, Frame frame)
    : runner_(runner), store_(store), tools_(tools), tasks_(tasks), frame_(std::move(frame)) {}

void BatchMeasurer::Measure(const Batch& batch, const std::shared_future<Batch>& next) {
  last_progress_ns_ = tools_.now_ns();
  Begin(batch);
  while (Holds(batch)) {
    if (frame_.halted()) Halt();
    while (TrialPointer trial = NextTrial(next)) Submit(std::move(trial));
    JobResult result;
    if (Holds(batch) && WaitForOne(&result)) Take(result);
    FlushWhenDue();
  }
  Flush();
}

// Records the refused trials and queues the others; once for each batch.
void BatchMeasurer::Begin(const Batch& batch) {
  if (batch.empty() || batch.front()->batch != 0) return;
  ++begun_;
  for (const TrialPointer& trial : batch) {
    trial->batch = begun_;
    const Rejection* rejection = std::get_if<Rejection>(&trial->built);
    if (rejection == nullptr) {
      Queue(trial);
      continue;
    }
    // The machine's failure to compile it here says nothing about the candidate.
    if (rejection->fate == Fate::kCancelled) continue;
    trial->measurement.fate = rejection->fate;
    trial->measurement.message = rejection->reason;
    Keep(*trial);
  }
}

// Puts the trial behind the others of its batch, so that the cause of noise may pass, and before those of the next.
void BatchMeasurer::Queue(const TrialPointer& trial) { waiting_.emplace(trial->batch, trial); }

// Whether a trial of the batch waits or is under way.
bool BatchMeasurer::Holds(const Batch& batch) const {
  if (batch.empty()) return false;
  const int64_t number = batch.front()->batch;
  return waiting_.contains(number) || std::any_of(under_way_.begin(), under_way_.end(),
                                                  [&](const auto& job) { return job.second->batch == number; });
}

void BatchMeasurer::Halt() {
  waiting_.clear();
  if (halted_ns_ == 0) halted_ns_ = tools_.now_ns();
  if (tools_.now_ns() - halted_ns_ <= kAfterHaltNs) return;
  unanswered_ += static_cast<int64_t>(under_way_.size());
  under_way_.clear();
}

// The trial to submit now; null if none waits or no slot is free. A slot without work begins the next batch.
BatchMeasurer::TrialPointer BatchMeasurer::NextTrial(const std::shared_future<Batch>& next) {
  if (runner_.FreeSlots() <= 0) return nullptr;
  if (waiting_.empty() && IsBuilt(next) && !frame_.halted()) Begin(next.get());
  if (waiting_.empty()) return nullptr;
  return std::move(waiting_.extract(waiting_.begin()).mapped());
}

void BatchMeasurer::Submit(TrialPointer trial) {
  const TuningTask& task = tasks_[trial->task];
  trial->timing.incumbent_ns = task.best_ns();
  const JobId id = runner_.Submit(MakeJob(*trial, task.reference.value(), frame_.seeds));
  under_way_[id] = std::move(trial);
  last_progress_ns_ = tools_.now_ns();
}

// Returns false when no result came yet.
bool BatchMeasurer::WaitForOne(JobResult* result) {
  if (!under_way_.empty()) return runner_.Wait(RunnerWaits::kLookNs, result);
  // Nothing is under way and no slot is free: the runner is away, and may come back.
  if (tools_.now_ns() - last_progress_ns_ > kPatienceNs) {
    throw Error(ExitCode::kNoRunner, fmt::format("the runner has taken no job for {} s", kPatienceNs / 1'000'000'000));
  }
  tools_.sleep(RunnerWaits::kNoSlotNs);
  return false;
}

void BatchMeasurer::Take(const JobResult& result) {
  const auto job = under_way_.extract(result.id);
  if (job.empty()) return;
  const TrialPointer& trial = job.mapped();
  last_progress_ns_ = tools_.now_ns();
  // Machines work at the same time, so each second of one is a part of a second of the run.
  const int64_t machines = FinalsStage::MachinesOf(runner_);
  cost_.verify_ns += result.cost.verify_ns / machines;
  cost_.timing_ns += result.cost.timing_ns / machines;
  trial->measurement = result.measurement;
  const Fate fate = result.measurement.fate;
  if (fate == Fate::kCancelled) return;
  Keep(*trial);
  kept_[result.id] = pending_.back().id;
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  if (fate == Fate::kRunnerLost) return TryAgain(trial);
  const bool noisy = fate == Fate::kOk && tasks_[trial->task].Doubts(trial->proposal, result.measurement);
  if (noisy && trial->repeats++ < frame_.repeats) Queue(trial);
}

// A lost runner says nothing about the trial.
void BatchMeasurer::TryAgain(const TrialPointer& trial) {
  trial->done = false;
  Queue(trial);
  if (++trial->lost < kAttempts) return;
  Flush();
  throw Error(ExitCode::kNoRunner,
              fmt::format("the runner was lost {} times with the same job: {}", kAttempts, trial->measurement.message));
}

void BatchMeasurer::Keep(Trial& trial) {
  trial.done = true;
  if (pending_.empty()) pending_since_ns_ = tools_.now_ns();
  pending_.push_back(MakeRecord(trial, frame_.session, tools_));
}

void BatchMeasurer::KeepDoubts() {
  const std::vector<SuspectResult> suspects = runner_.TakeSuspectResults();
  if (suspects.empty()) return;
  Flush();
  pending_since_ns_ = tools_.now_ns();
  for (const SuspectResult& suspect : suspects) {
    const auto kept = kept_.find(suspect.id);
    if (kept == kept_.end()) continue;
    if (std::optional<Record> record = store_.Get(kept->second)) {
      if (record->measurement.fate == Fate::kOk) pending_.push_back(Doubted(std::move(*record), suspect.why));
    }
    kept_.erase(kept);
  }
}

void BatchMeasurer::Close() {
  runner_.CheckHealth(RunnerWaits::kCheckHealthNs);
  KeepDoubts();
  Flush();
}

void BatchMeasurer::FlushWhenDue() {
  KeepDoubts();
  if (pending_.size() >= kFlushCount || tools_.now_ns() - pending_since_ns_ >= kFlushNs) Flush();
}

void BatchMeasurer::Flush() {
  if (!pending_.empty()) store_.Append(pending_);
  pending_.clear();
}

}  // namespace hone
