#include "tuner/replay/replay.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "core/files/temporary_folder.h"
#include "tuner/best_by_records.h"
#include "tuner/tuner.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

// A temporary store for the replay's own records, removed with the object.
class ScratchStore {
 public:
  ScratchStore() {
    const std::string place = TemporaryFolder().string();
    std::string name = place + "/hone-replay-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(ExitCode::kCannotCreate,
                  fmt::format("no folder can be made in {}: {}; TMPDIR names another", place, std::strerror(errno)));
    }
    folder_ = name;
    store_ = RecordStore::Open((folder_ / "records.db").string());
  }
  ~ScratchStore() {
    store_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;
  RecordStore& store() { return *store_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<RecordStore> store_;
};

// The store's records before the recorded run, and the run's own. Without such a run, all records count as the run's.
struct Recording {
  std::vector<Record> before, run;
};

Recording Split(const RecordStore& store, const TuneOptions& options) {
  RecordQuery query;
  query.cache = options.cache;
  std::vector<Record> all = store.Find(query);
  const std::string session = MakeTuningRun(options).id;
  const auto is_ours = [&session](const Record& record) { return record.session == session; };
  const auto first = std::find_if(all.begin(), all.end(), is_ours);
  if (first == all.end()) {
    std::erase_if(all, [&](const Record& record) {
      return record.candidate.target != options.context.target || record.timing.threads != options.context.threads;
    });
    return {{}, std::move(all)};
  }
  Recording recording{{all.begin(), first}, {}};
  std::copy_if(first, all.end(), std::back_inserter(recording.run), is_ours);
  return recording;
}

const Schedule* PresentSchedule(const std::vector<const Schedule*>& schedules, const std::string& name) {
  const auto found =
      std::find_if(schedules.begin(), schedules.end(), [&](const Schedule* s) { return s->name() == name; });
  return found == schedules.end() ? FindSchedule(name) : *found;
}

// A config of another schedule version may mean another kernel.
void DropOtherVersions(const std::vector<const Schedule*>& schedules, std::vector<Record>& records) {
  if (records.empty()) return;
  const Record first = records.front();
  std::erase_if(records, [&](const Record& record) {
    const Schedule* schedule = PresentSchedule(schedules, record.candidate.schedule);
    return schedule == nullptr || schedule->version() != record.schedule_version;
  });
  if (!records.empty()) return;
  const std::string& name = first.candidate.schedule;
  const Schedule* schedule = PresentSchedule(schedules, name);
  throw Error(ExitCode::kBadData,
              fmt::format("the store's records are of {} version {}; this program {}", name, first.schedule_version,
                          schedule ? fmt::format("replays version {}", schedule->version()) : "has no such schedule"));
}

// A name that does not depend on the order of the knobs.
std::string NameOf(const Candidate& candidate) {
  auto values = candidate.config.values();
  std::sort(values.begin(), values.end());
  return candidate.workload.ToText() + "\n" + candidate.schedule + "\n" + Config(std::move(values)).ToText();
}

}  // namespace

TuneReport ReplayWith(const std::vector<const Schedule*>& schedules, const std::vector<Task>& tasks,
                      const TuneOptions& options, const RecordStore& recording,
                      const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop) {
  Recording recorded = Split(recording, options);
  DropOtherVersions(schedules, recorded.run);
  ReplayRunner runner(recorded.run);
  TuneTools tools = ReplayTools(runner);
  tools.schedules = schedules;
  ScratchStore scratch;
  scratch.store().Append(recorded.before);
  const RecordLayers before = LayersBefore(Borrowed(scratch.store()), options);
  tools.before = ChoicesBefore(before, options.context, FingerprintOf(runner.Describe()));
  return TuningLoop(tasks, options, runner, scratch.store(), tools, observe, stop).Run();
}

TuneReport Replay(const std::vector<Task>& tasks, const TuneOptions& options, const RecordStore& recording,
                  const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop) {
  return ReplayWith({}, tasks, options, recording, observe, stop);
}

ReplayRunner::ReplayRunner(const std::vector<Record>& records) {
  for (const Record& record : records) {
    answers_[NameOf(record.candidate)][record.timing.min_samples].push_back(
        {record.measurement, record.artifact_sha256});
    if (environment_.cpu_model.empty()) environment_ = record.measurement.environment;
  }
  if (answers_.empty()) {
    throw Error(ExitCode::kNoRunner,
                "the recording holds no trial of this target, thread count and cache mode; `hone log list` shows it");
  }
}

std::variant<Artifact, Rejection> ReplayRunner::Compile(const Candidate& candidate) {
  Artifact artifact;
  artifact.elf = NameOf(candidate);
  const auto known = answers_.find(artifact.elf);
  if (known == answers_.end()) return artifact;
  const Answer& next = known->second.begin()->second.front();
  if (next.artifact_sha256.empty()) return Rejection{next.measurement.fate, next.measurement.message};
  artifact.object_sha256 = next.artifact_sha256;
  return artifact;
}

JobId ReplayRunner::Submit(KernelJob job) {
  queue_.push_back({next_, std::move(job.artifact.elf), job.timing.min_samples});
  return next_++;
}

bool ReplayRunner::Wait(int64_t, JobResult* result) {
  if (queue_.empty()) return false;
  const Asked asked = std::move(queue_.front());
  queue_.pop_front();
  *result = {asked.id, {}};
  const auto known = answers_.find(asked.name);
  if (known == answers_.end() || !known->second.contains(asked.samples)) {
    result->measurement.fate = Fate::kCancelled;
    result->measurement.message = "it is not in the recording";
    result->measurement.environment = environment_;
    now_ns_ += kUnknownNs;
    return true;
  }
  std::deque<Answer>& answers = known->second[asked.samples];
  result->measurement = answers.front().measurement;
  if (answers.size() > 1) answers.pop_front();
  now_ns_ += result->measurement.wall_ns;
  return true;
}

TuneTools ReplayTools(ReplayRunner& runner) {
  TuneTools tools;
  tools.compile = [&runner](const Candidate& candidate) { return runner.Compile(candidate); };
  tools.reference = [](const Workload&, const Target&) { return Artifact{}; };
  tools.now_ns = [&runner] { return runner.now_ns(); };
  tools.unix_ms = [&runner] { return runner.now_ns() / 1'000'000; };
  tools.sleep = [&runner](int64_t ns) { runner.Sleep(ns); };
  return tools;
}

}  // namespace hone
