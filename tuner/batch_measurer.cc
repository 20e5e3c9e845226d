#include "tuner/batch_measurer.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace hone {
namespace {

// How often the stop flag and the budget are looked at while a job runs.
constexpr int64_t kLookNs = 100'000'000;
constexpr int64_t kNoSlotNs = 20'000'000;

}  // namespace

BatchMeasurer::BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools, Hooks hooks)
    : runner_(runner), store_(store), tools_(tools), hooks_(std::move(hooks)) {}

void BatchMeasurer::Measure(std::vector<Trial>& batch) {
  lost_.assign(batch.size(), 0);
  repeated_.assign(batch.size(), 0);
  last_progress_ns_ = tools_.now_ns();
  for (size_t i = 0; i < batch.size(); ++i) {
    const Rejection* rejection = std::get_if<Rejection>(&batch[i].built);
    if (rejection == nullptr) {
      waiting_.push_back(i);
      continue;
    }
    batch[i].measurement.fate = rejection->fate;
    batch[i].measurement.message = rejection->reason;
    Keep(batch[i]);
  }
  while (!waiting_.empty() || !under_way_.empty()) {
    if (hooks_.halted()) waiting_.clear();
    SubmitWhatFits(batch);
    if (!waiting_.empty() || !under_way_.empty()) WaitForOne(batch);
    FlushWhenDue();
  }
  Flush();
}

void BatchMeasurer::SubmitWhatFits(std::vector<Trial>& batch) {
  while (!waiting_.empty() && runner_.FreeSlots() > 0) {
    const size_t i = waiting_.front();
    waiting_.pop_front();
    under_way_[runner_.Submit(hooks_.job(batch[i]))] = i;
    last_progress_ns_ = tools_.now_ns();
  }
}

void BatchMeasurer::WaitForOne(std::vector<Trial>& batch) {
  JobResult result;
  if (!under_way_.empty()) {
    if (runner_.Wait(kLookNs, &result)) Take(batch, result);
    return;
  }
  // Nothing under way and no slot: the runner is away. It may come back.
  if (tools_.now_ns() - last_progress_ns_ > kPatienceNs) {
    throw Error(ExitCode::kNoRunner, fmt::format("the runner has taken no job for {} s", kPatienceNs / 1'000'000'000));
  }
  tools_.sleep(kNoSlotNs);
}

void BatchMeasurer::Take(std::vector<Trial>& batch, const JobResult& result) {
  const auto job = under_way_.find(result.id);
  if (job == under_way_.end()) return;
  const size_t i = job->second;
  under_way_.erase(job);
  Trial& trial = batch[i];
  last_progress_ns_ = tools_.now_ns();
  cost_.verify_ns += result.cost.verify_ns;
  cost_.timing_ns += result.cost.timing_ns;
  if (result.measurement.fate == Fate::kCancelled) return;
  trial.measurement = result.measurement;
  Keep(trial);
  if (trial.measurement.fate != Fate::kRunnerLost) {
    const bool noisy = trial.measurement.fate == Fate::kOk && trial.measurement.noisy;
    if (noisy && hooks_.repeat && hooks_.repeat(trial) && ++repeated_[i] <= kRepeats) waiting_.push_back(i);
    return;
  }
  trial.done = false;
  waiting_.push_back(i);
  if (++lost_[i] < kAttempts) return;
  Flush();
  throw Error(ExitCode::kNoRunner,
              fmt::format("the runner was lost {} times with the same job: {}", kAttempts, trial.measurement.message));
}

void BatchMeasurer::Keep(Trial& trial) {
  trial.done = true;
  if (pending_.empty()) pending_since_ns_ = tools_.now_ns();
  pending_.push_back(hooks_.record(trial));
}

void BatchMeasurer::FlushWhenDue() {
  if (pending_.size() >= kFlushCount || tools_.now_ns() - pending_since_ns_ >= kFlushNs) Flush();
}

void BatchMeasurer::Flush() {
  if (!pending_.empty()) store_.Append(pending_);
  pending_.clear();
}

}  // namespace hone
