#include "bench/tuner/space_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "tuner/batch_measurer.h"
#include "tuner/trial.h"

namespace hone::bench {
namespace {

constexpr size_t kBatch = 64;
constexpr int kSamples = 5;
constexpr double kFastestShare = 0.05;
constexpr double kNear = 1.20;
const char* const kSession = "record-space";

}  // namespace

SpaceRecorder::SpaceRecorder(const Workload& workload, const Target& target, const std::string& store)
    : workload_(workload),
      target_(target),
      space_(tasks_
                 .emplace_back(Task{workload, 1, {}}, SearchTask{workload, MachineModelFor(target), {}, nullptr},
                               "grid", 0)
                 .space()),
      store_(RecordStore::Open(store)),
      runner_(MakeLocalRunner()),
      tools_(RealTuneTools()) {
  tools_.compile_workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  tasks_.front().reference = CompileReference(workload, target);
  if (const std::string missing = MissingFeature(target); !missing.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("this machine lacks {}, which {} needs", missing, target.ToText()));
  }
  if (!space_.complete()) {
    throw Error(ExitCode::kUsage, fmt::format("the space has {} configs; at most {} can be recorded", space_.size(),
                                              SearchSpace::kMostEnumerated));
  }
  Recall();
}

int64_t SpaceRecorder::Known::time_ns() const {
  if (least_ns.empty()) return 0;
  return least_ns[least_ns.size() < 3 ? 0 : 1];
}

void SpaceRecorder::Recall() {
  RecordQuery query;
  query.workload = workload_.ToText();
  query.session = kSession;
  for (const auto& record : store_->Find(query)) {
    if (record.candidate.target != target_) continue;
    Learn(space_.Key({record.candidate.schedule, record.candidate.config}), record.measurement);
  }
}

void SpaceRecorder::Learn(const std::string& key, const Measurement& measurement) {
  Known& known = known_[key];
  const bool clean = measurement.fate != Fate::kOk || !measurement.noisy;
  known.noisy = known.times == 0 ? !clean : known.noisy && !clean;
  ++known.times;
  if (measurement.fate != Fate::kOk) return;
  const int64_t least = measurement.MinNs();
  known.least_ns.insert(std::upper_bound(known.least_ns.begin(), known.least_ns.end(), least), least);
}

std::function<int(const SpaceRecorder::Known&)> SpaceRecorder::TimesFor() const {
  std::vector<int64_t> times;
  for (const auto& [key, known] : known_) {
    if (known.time_ns() > 0) times.push_back(known.time_ns());
  }
  if (times.empty()) return [](const Known&) { return kTimes; };
  std::sort(times.begin(), times.end());
  const auto fastest = static_cast<size_t>(kFastestShare * static_cast<double>(times.size()));
  const int64_t near = std::max(times[fastest], static_cast<int64_t>(kNear * static_cast<double>(times.front())));
  const int64_t last = times[std::min(kFinalists, times.size()) - 1];
  return [near, last](const Known& known) {
    if (known.time_ns() > 0 && known.time_ns() <= last) return kFinalTimes;
    return known.noisy || (known.time_ns() > 0 && known.time_ns() <= near) ? kNearTimes : kTimes;
  };
}

std::vector<const SearchSpace::Ranked*> SpaceRecorder::Wanted() const {
  std::vector<const SearchSpace::Ranked*> wanted;
  for (const SearchSpace::Ranked& ranked : space_.ranked()) {
    if (!known_.contains(space_.Key(ranked.proposal))) wanted.push_back(&ranked);
  }
  if (!wanted.empty()) return wanted;
  const auto times = TimesFor();
  for (const SearchSpace::Ranked& ranked : space_.ranked()) {
    const Known& known = known_.at(space_.Key(ranked.proposal));
    if (known.times < times(known)) wanted.push_back(&ranked);
  }
  return wanted;
}

int64_t SpaceRecorder::Record(double seconds) {
  const int64_t until = tools_.now_ns() + static_cast<int64_t>(seconds * 1e9);
  for (;;) {
    std::vector<const SearchSpace::Ranked*> wanted = Wanted();
    const auto left = static_cast<int64_t>(wanted.size());
    if (left == 0 || tools_.now_ns() >= until) return left;
    for (size_t i = 0; i < wanted.size() && tools_.now_ns() < until; i += kBatch) {
      const auto begin = wanted.begin() + static_cast<int64_t>(i);
      Measure({begin, begin + static_cast<int64_t>(std::min(kBatch, wanted.size() - i))});
    }
  }
}

// Compiles before the timing and never beside it.
void SpaceRecorder::Measure(const std::vector<const SearchSpace::Ranked*>& wanted) {
  const auto halted = [] { return false; };
  Batch batch;
  for (const SearchSpace::Ranked* ranked : wanted) {
    const auto trial = std::make_shared<Trial>(MakeTrial(space_, workload_, ranked->proposal, target_));
    trial->timing.min_samples = trial->timing.max_samples = kSamples;
    batch.push_back(trial);
  }
  CompileBatch(tools_, halted, tasks_, batch);
  BatchMeasurer(*runner_, *store_, tools_, tasks_, {kSession, {1}, halted, /*repeats=*/0}).Measure(batch);
  for (const auto& trial : batch) Learn(space_.Key(trial->proposal), trial->measurement);
}

RecordedSpace SpaceRecorder::Written() const {
  RecordedSpace recorded;
  recorded.workload = workload_;
  recorded.target = target_;
  recorded.cpu_model = runner_->Describe().cpu_model;
  const MachineModel machine = MachineModelFor(target_);
  for (const Schedule* schedule : SchedulesFor(workload_, machine)) {
    RecordedPart& part = recorded.parts.emplace_back();
    part.schedule = schedule->name();
    part.space = schedule->Space(workload_, machine);
    for (int64_t i = 0; i < part.space.size(); ++i) {
      const auto known = known_.find(space_.Key({part.schedule, part.space.At(i)}));
      const bool valid = !schedule->Reject(workload_, machine, part.space.At(i));
      part.times_ns.push_back(!valid ? kRejected : known == known_.end() ? kFailed : known->second.time_ns());
    }
  }
  return recorded;
}

}  // namespace hone::bench
