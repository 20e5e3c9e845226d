#include "tuner/batch_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/error.h"
#include "db/verdicts/doubted_since.h"

namespace hone {
BatchMeasurer::BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools, Hooks hooks)
    : runner_(runner), store_(store), tools_(tools), hooks_(std::move(hooks)) {}

void BatchMeasurer::Measure(std::vector<Trial>& batch, const Ahead& ahead) {
  last_progress_ns_ = tools_.now_ns();
  Begin(batch);
  current_ = &batch;
  while (Holds(batch)) {
    if (hooks_.halted()) Halt();
    SubmitWhatFits();
    if (waiting_.empty() && ahead && runner_.FreeSlots() > 0 && !hooks_.halted()) {
      if (std::vector<Trial>* next = ahead()) Begin(*next);
      SubmitWhatFits();
    }
    if (Holds(batch)) WaitForOne();
    FlushWhenDue();
  }
  Flush();
  // Another batch may be placed at the same address.
  if (begun_ == batch.data()) begun_ = nullptr;
  current_ = nullptr;
}

void BatchMeasurer::Halt() {
  waiting_.clear();
  if (halted_ns_ == 0) halted_ns_ = tools_.now_ns();
  if (tools_.now_ns() - halted_ns_ <= kAfterHaltNs) return;
  unanswered_ += static_cast<int64_t>(under_way_.size());
  under_way_.clear();
}

void BatchMeasurer::Begin(std::vector<Trial>& batch) {
  if (batch.empty() || batch.data() == begun_) return;
  begun_ = batch.data();
  for (Trial& trial : batch) {
    lost_.erase(&trial);
    repeated_.erase(&trial);
    const Rejection* rejection = std::get_if<Rejection>(&trial.built);
    if (rejection == nullptr) {
      waiting_.push_back(&trial);
      continue;
    }
    // The machine's failure to compile it here says nothing about the candidate.
    if (rejection->fate == Fate::kCancelled) continue;
    trial.measurement.fate = rejection->fate;
    trial.measurement.message = rejection->reason;
    Keep(trial);
  }
}

bool BatchMeasurer::IsOf(const std::vector<Trial>& batch, const Trial* trial) {
  return !std::less<>()(trial, batch.data()) && std::less<>()(trial, batch.data() + batch.size());
}

// Whether a trial of the batch waits or is under way.
bool BatchMeasurer::Holds(const std::vector<Trial>& batch) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Trial* trial) { return IsOf(batch, trial); }) ||
         std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& job) { return IsOf(batch, job.second); });
}

// Puts the trial behind the others of its batch, so that the cause of the noise may pass, and before the batch ahead.
void BatchMeasurer::WaitAgain(Trial& trial) {
  auto place = waiting_.end();
  if (IsOf(*current_, &trial)) {
    place = std::find_if(waiting_.begin(), waiting_.end(), [&](const Trial* t) { return !IsOf(*current_, t); });
  }
  waiting_.insert(place, &trial);
}

void BatchMeasurer::SubmitWhatFits() {
  while (!waiting_.empty() && runner_.FreeSlots() > 0) {
    Trial* const trial = waiting_.front();
    waiting_.pop_front();
    under_way_[runner_.Submit(hooks_.job(*trial))] = trial;
    last_progress_ns_ = tools_.now_ns();
  }
}

void BatchMeasurer::WaitForOne() {
  JobResult result;
  if (!under_way_.empty()) {
    if (runner_.Wait(RunnerWaits::kLookNs, &result)) Take(result);
    return;
  }
  // Nothing is under way and no slot is free: the runner is away, and may come back.
  if (tools_.now_ns() - last_progress_ns_ > kPatienceNs) {
    throw Error(ExitCode::kNoRunner, fmt::format("the runner has taken no job for {} s", kPatienceNs / 1'000'000'000));
  }
  tools_.sleep(RunnerWaits::kNoSlotNs);
}

void BatchMeasurer::Take(const JobResult& result) {
  const auto job = under_way_.find(result.id);
  if (job == under_way_.end()) return;
  Trial& trial = *job->second;
  under_way_.erase(job);
  last_progress_ns_ = tools_.now_ns();
  cost_.verify_ns += result.cost.verify_ns;
  cost_.timing_ns += result.cost.timing_ns;
  trial.measurement = result.measurement;
  if (result.measurement.fate == Fate::kCancelled) return;
  Keep(trial);
  kept_[result.id] = pending_.back().id;
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  if (trial.measurement.fate != Fate::kRunnerLost) {
    const bool noisy = trial.measurement.fate == Fate::kOk && trial.measurement.noisy;
    const bool repeat = noisy && hooks_.repeat && hooks_.repeat(trial) && ++repeated_[&trial] <= kRepeats;
    if (repeat) WaitAgain(trial);
    return;
  }
  trial.done = false;
  WaitAgain(trial);
  if (++lost_[&trial] < kAttempts) return;
  Flush();
  throw Error(ExitCode::kNoRunner,
              fmt::format("the runner was lost {} times with the same job: {}", kAttempts, trial.measurement.message));
}

void BatchMeasurer::Keep(Trial& trial) {
  trial.done = true;
  if (pending_.empty()) pending_since_ns_ = tools_.now_ns();
  pending_.push_back(hooks_.record(trial));
}

void BatchMeasurer::KeepDoubts() {
  const std::vector<Doubt> doubts = runner_.TakeDoubts();
  if (doubts.empty()) return;
  Flush();
  pending_since_ns_ = tools_.now_ns();
  for (const Doubt& doubt : doubts) {
    const auto kept = kept_.find(doubt.id);
    if (kept == kept_.end()) continue;
    if (std::optional<Record> record = store_.Get(kept->second)) {
      if (record->measurement.fate == Fate::kOk) pending_.push_back(Doubted(std::move(*record), doubt.why));
    }
    kept_.erase(kept);
  }
}

void BatchMeasurer::Close() {
  runner_.LookAgain(RunnerWaits::kLookAgainNs);
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
