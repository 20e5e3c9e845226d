// Every place that names a best config or a gain says the same, over random tunings: noise, failures, doubts, finals
// with winners and losers, several runs, devices and packs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "compiler/schedules/schedule.h"
#include "core/json/serialize.h"
#include "core/random.h"
#include "db/verdicts/row_verdicts.h"
#include "lab/comparison/compare_records.h"
#include "lab/dashboard/tuning_watch.h"
#include "lab/history/record_changes.h"
#include "lab/records/best_records.h"
#include "lab/records/explain_record.h"
#include "lab/report/charts.h"
#include "tests/db/sample_record.h"
#include "tuner/best_by_records.h"
#include "tuner/record_config_source.h"
#include "tuner/search/search_space.h"

namespace hone {
namespace {

constexpr int64_t kBegin = 1'700'000'000'000;
constexpr int kTunings = 20;
constexpr int kConfigs = 6;

relay::IRModule SmallModel() {
  ZooOptions options;
  options.image_shape = {1, 14, 14};
  relay::IRModule module = relay::InferType(BuildZoo("mlp", options));
  module.name = "zoo:mlp";
  return module;
}

BuildContext ContextOfTruth() {
  BuildContext context;
  context.target = SampleRecord(0).candidate.target;
  return context;
}

// The config and time that one place names for a task.
struct Said {
  std::string config;
  int64_t ns = 0;
  bool operator==(const Said&) const = default;
};
void PrintTo(const Said& said, std::ostream* out) { *out << said.config << " " << said.ns << " ns"; }

// A store that tunings of one model on a few devices might have left, and a pack.
class RandomTunings {
 public:
  explicit RandomTunings(uint64_t seed) : random_(seed), tasks_(ExtractTasks(module_, context_)) {
    store_ = RecordStore::Open(folder_.File("records.db"));
    const MachineModel machine = context_.machine();
    for (const Task& task : tasks_) {
      const SearchSpace space({task.workload, machine, {}, nullptr});
      for (int i = 0; i < kConfigs; ++i) {
        const auto& ranked = space.ranked();
        proposals_[task.workload.ToText()].push_back(ranked[i == 0 ? 0 : random_.Below(ranked.size())].proposal);
      }
    }
    for (uint64_t device = 0; device < 1 + random_.Below(3); ++device) {
      devices_.push_back(EpycOf(fmt::format("AuthenticAMD-25-{}-1", device + 1)));
      devices_.back().host = fmt::format("host{}", device);
    }
    MakePack();
    const uint64_t runs = 1 + random_.Below(3);
    for (uint64_t run = 0; run < runs; ++run) {
      for (size_t device = 0; device < devices_.size(); ++device) Tune(fmt::format("run{}-{}", run, device), device);
    }
  }

  const std::vector<Task>& tasks() const { return tasks_; }
  const std::vector<Environment>& devices() const { return devices_; }
  const RecordStore& store() const { return *store_; }
  const relay::IRModule& module() const { return module_; }
  const BuildContext& context() const { return context_; }
  const std::string& last_run(size_t device) const { return last_run_.at(device); }
  const Proposal& analytic(const std::string& workload) const { return proposals_.at(workload)[0]; }

  RecordLayers Layers(bool with_pack) const {
    RecordLayers layers;
    layers.Add(kStoreOrigin, StoreLayer(Borrowed(*store_)));
    if (with_pack) layers.Add("hub", FixedLayer(pack_), RecordLayers::Reach::kOwnKind);
    return layers;
  }

 private:
  Record Trial(const std::string& session, size_t device, const Workload& workload, const Proposal& proposal) {
    Record record = SampleRecord(0);
    record.candidate = {workload, proposal.schedule, proposal.config, context_.target};
    record.schedule_version = FindSchedule(proposal.schedule)->version();
    record.measurement.environment = devices_[device];
    record.session = session;
    record.unix_ms = kBegin + 25 * ++number_;
    const auto ns = static_cast<int64_t>(1'000 + random_.Below(40));
    record.measurement.samples_ns = {ns + 3, ns, ns + 9};
    record.measurement.batch = {1, 1, 1};
    record.measurement.noisy = random_.Below(6) == 0;
    if (random_.Below(10) == 0) Fail(record);
    return record;
  }

  void Fail(Record& record) {
    static constexpr Fate kFates[] = {Fate::kCrashed, Fate::kWrongOutput, Fate::kTimedOut, Fate::kCompileFailed};
    record.measurement.fate = kFates[random_.Below(4)];
    record.measurement.samples_ns.clear();
    record.measurement.batch.clear();
    record.measurement.noisy = false;
    // Trouble of the machine, which speaks against no record.
    if (random_.Below(2) == 0) record.measurement.message = "hone-compiler cannot be started: Cannot allocate memory";
  }

  void Keep(Record record) { store_->Append({Finish(std::move(record))}); }

  void MakePack() {
    for (const Task& task : tasks_) {
      if (random_.Below(2) == 0) continue;
      const std::vector<Proposal>& all = proposals_.at(task.workload.ToText());
      pack_.push_back(
          Finish(Trial("pack", random_.Below(devices_.size()), task.workload, all[random_.Below(kConfigs)])));
    }
  }

  // As hone tune: the run says what a build would have taken, each task is searched, and most have finals, in which
  // that choice is the incumbent.
  void Tune(const std::string& session, size_t device) {
    Json said = Json::array();
    std::map<std::string, Proposal> before;
    const RecordLayers layers = Layers(true);
    RecordConfigSource source(layers, FingerprintOf(devices_[device]));
    for (const Task& task : tasks_) {
      const std::string text = task.workload.ToText();
      const auto choice = source.Choose(task.workload, context_.target, context_.threads,
                                        [](const std::string&, const Config&) { return true; });
      before[text] = choice ? Proposal{choice->schedule, choice->config} : analytic(text);
      said.push_back({{"workload", text},
                      {"uses", task.uses},
                      {"default", {{"schedule", before[text].schedule}, {"config", before[text].config.ToText()}}}});
    }
    store_->PutRun({session, "running", DumpJson({{"model", "zoo:mlp"}, {"threads", 1}, {"tasks", said}})});
    for (const Task& task : tasks_) Search(session, device, task.workload, before[task.workload.ToText()]);
    for (const Task& task : tasks_) {
      if (random_.Below(4) > 0) HoldFinals(session, device, task.workload, before[task.workload.ToText()]);
    }
    last_run_[device] = session;
    before_[session] = std::move(before);
  }

  void Search(const std::string& session, size_t device, const Workload& workload, const Proposal& before) {
    Record first = Trial(session, device, workload, before);  // the incumbent works, so that it has a time
    if (first.measurement.fate != Fate::kOk) first = Trial(session, device, workload, before);
    Keep(std::move(first));
    for (const Proposal& proposal : proposals_.at(workload.ToText())) {
      Record record = Trial(session, device, workload, proposal);
      if (random_.Below(4) == 0) {
        record.timing.cache = CacheMode::kWarm;
        record.session += "-warm";
      }
      if (random_.Below(8) == 0 && record.measurement.fate == Fate::kOk) Keep(Doubted(record, "its clock fell"));
      Keep(std::move(record));
    }
  }

  void HoldFinals(const std::string& session, size_t device, const Workload& workload, const Proposal& before) {
    std::vector<Proposal> finalists = {before};
    for (const Proposal& proposal : proposals_.at(workload.ToText())) {
      const bool known = std::find(finalists.begin(), finalists.end(), proposal) != finalists.end();
      if (!known && random_.Below(2) == 0) finalists.push_back(proposal);
    }
    const uint64_t winner = random_.Below(finalists.size());
    std::vector<Record> rounds;
    for (uint64_t f = 0; f < finalists.size(); ++f) {
      for (int round = 1; round <= 7; ++round) {
        Record record = Trial(session, device, workload, finalists[f]);
        if (record.measurement.fate != Fate::kOk) record = Trial(session, device, workload, finalists[f]);
        record.finals = {1, round, f == winner ? 1 : 2 + static_cast<int>(f), f == 0, 0};
        rounds.push_back(Finish(std::move(record)));
      }
    }
    store_->Append(rounds);
  }

  const relay::IRModule module_ = SmallModel();
  const BuildContext context_ = ContextOfTruth();
  TempFolder folder_;
  Random random_;
  std::vector<Task> tasks_;
  std::unique_ptr<RecordStore> store_;
  std::map<std::string, std::vector<Proposal>> proposals_;
  std::vector<Environment> devices_;
  std::vector<Record> pack_;
  std::map<size_t, std::string> last_run_;
  int64_t number_ = 0;

 public:
  std::map<std::string, std::map<std::string, Proposal>> before_;  // by run and workload
};

// By workload.
using Sayings = std::map<std::string, Said>;

Sayings OfBuild(const RandomTunings& t, size_t device, bool with_pack) {
  const RecordLayers layers = t.Layers(with_pack);
  RecordConfigSource source(layers, FingerprintOf(t.devices()[device]));
  Sayings said;
  for (const Task& task : t.tasks()) {
    const auto choice = source.Choose(task.workload, t.context().target, t.context().threads,
                                      [](const std::string&, const Config&) { return true; });
    // Records of other machines are a build's last resort, and no best of this one.
    if (choice && choice->source.starts_with("record"))
      said[task.workload.ToText()] = {choice->schedule + " " + choice->config.ToText(), choice->expected_ns};
  }
  return said;
}

TuneReport TuneReportOf(const RandomTunings& t, size_t device, bool with_pack) {
  TuneReport report;
  report.setup = {t.context().target, FingerprintOf(t.devices()[device]), 1, CacheMode::kColdWeights};
  for (const Task& task : t.tasks()) {
    TaskReport& of = report.tasks.emplace_back();
    const std::string text = task.workload.ToText();
    const Proposal& before = t.before_.at(t.last_run(device)).at(text);
    of.workload = task.workload;
    of.uses = task.uses;
    of.default_schedule = before.schedule;
    of.default_config = before.config.ToText();
    of.analytic_schedule = t.analytic(text).schedule;
    of.analytic_config = t.analytic(text).config.ToText();
  }
  TakeBests(t.Layers(with_pack), t.context(), report);
  return report;
}

Sayings OfTune(const TuneReport& report) {
  Sayings said;
  for (const TaskReport& task : report.tasks) {
    if (task.best_ns > 0) said[task.workload.ToText()] = {task.best_schedule + " " + task.best_config, task.best_ns};
  }
  return said;
}

Said OfRecord(const Record& record) {
  return {record.candidate.schedule + " " + record.candidate.config.ToText(), record.measurement.MinNs()};
}

bool IsOf(const Record& record, const Environment& device) {
  return FingerprintOf(record.measurement.environment) == FingerprintOf(device) &&
         record.timing.cache == CacheMode::kColdWeights;
}

Sayings OfLogBest(const RandomTunings& t, size_t device) {
  Sayings said;
  for (const std::string& id : BestIds(t.store(), {})) {
    const Record record = *t.store().Get(id);
    if (IsOf(record, t.devices()[device])) said[record.candidate.workload.ToText()] = OfRecord(record);
  }
  return said;
}

Sayings OfExport(const RandomTunings& t, size_t device) {
  Sayings said;
  for (const Record& record : BestOf(t.store().Find({}))) {
    if (IsOf(record, t.devices()[device])) said[record.candidate.workload.ToText()] = OfRecord(record);
  }
  return said;
}

Sayings OfHistory(const RandomTunings& t, size_t device) {
  RecordQuery query;
  query.device = t.devices()[device].host;
  query.cache = CacheMode::kColdWeights;
  Sayings said;
  for (const RecordDiff& diff : RecordChangesSince(t.store(), query, 1)) {
    if (diff.after_ns > 0) said[diff.workload] = {diff.after, diff.after_ns};
  }
  return said;
}

Sayings OfCompare(const RandomTunings& t, size_t device) {
  RecordQuery query;
  query.device = t.devices()[device].host;
  query.cache = CacheMode::kColdWeights;
  const Comparison c = CompareRecords(t.store(), DevicesOf(t.store(), query), {{"mlp", t.module()}}, {});
  Sayings said;
  if (c.devices.empty()) return said;
  for (const ComparedLayer& layer : c.At(0, 0).layers) {
    if (!layer.has_knobs || layer.time.ns <= 0 || layer.noisy) continue;
    said[layer.name] = {layer.schedule + " " + layer.config, layer.time.ns};
  }
  return said;
}

std::map<std::string, int64_t> OfReport(const RandomTunings& t, size_t device) {
  std::map<std::string, int64_t> said;
  const std::string id = FingerprintOf(t.devices()[device]).ShortId();
  for (const TaskHistory& task : HistoryOf(t.store(), {}).tasks) {
    const bool cold = task.setup.ends_with(CacheModeName(CacheMode::kColdWeights));
    if (cold && task.device.ends_with("#" + id) && task.best_ns > 0) said[task.workload] = task.best_ns;
  }
  return said;
}

WatchedRun OfDashboard(const RandomTunings& t, size_t device) {
  TuningWatch watch;
  while (!watch.Look(t.store())) {
  }
  for (const WatchedRun& run : watch.State(kBegin).runs) {
    if (run.id == t.last_run(device)) return run;
  }
  return {};
}

std::map<std::string, int64_t> Times(const Sayings& said) {
  std::map<std::string, int64_t> times;
  for (const auto& [workload, of] : said) times[workload] = of.ns;
  return times;
}

void ExpectDashboard(const WatchedRun& run, const TuneReport& report) {
  int64_t model_ns = 0, default_ns = 0;
  bool knows_defaults = true;
  for (size_t i = 0; i < report.tasks.size(); ++i) {
    const TaskReport& task = report.tasks[i];
    ASSERT_EQ(run.tasks[i].workload, task.workload.ToText());
    EXPECT_EQ(run.tasks[i].best_ns, task.best_ns);
    EXPECT_EQ(run.tasks[i].schedule + " " + run.tasks[i].config, task.best_schedule + " " + task.best_config);
    if (task.default_ns > 0) {
      EXPECT_EQ(run.tasks[i].first_ns, task.default_ns);
    }
    knows_defaults = knows_defaults && task.default_ns > 0;
    model_ns += task.uses * task.best_ns;
    default_ns += task.uses * task.default_ns;
  }
  EXPECT_EQ(run.ModelNs(), model_ns);
  EXPECT_EQ(run.Curve().back().second, model_ns);
  if (knows_defaults) {
    EXPECT_EQ(run.FirstModelNs(), default_ns);
  }
}

TEST(OneTruth, EveryPlaceNamesTheSameBestAndGain) {
  int tasks = 0, by_finals = 0;
  for (uint64_t seed = 1; seed <= kTunings; ++seed) {
    const RandomTunings t(seed);
    for (size_t device = 0; device < t.devices().size(); ++device) {
      SCOPED_TRACE(fmt::format("tuning {}, device {} of {}", seed, device, t.devices().size()));
      const Sayings build = OfBuild(t, device, false);
      const TuneReport tuned = TuneReportOf(t, device, false);
      EXPECT_EQ(OfTune(tuned), build);
      EXPECT_EQ(OfTune(TuneReportOf(t, device, true)), OfBuild(t, device, true));
      EXPECT_EQ(OfLogBest(t, device), build);
      EXPECT_EQ(OfExport(t, device), build);
      EXPECT_EQ(OfHistory(t, device), build);
      EXPECT_EQ(OfCompare(t, device), build);
      EXPECT_EQ(OfReport(t, device), Times(build));
      ExpectDashboard(OfDashboard(t, device), tuned);
      tasks += static_cast<int>(build.size());
      for (const std::string& id : BestIds(t.store(), {})) by_finals += t.store().Get(id)->finals.held > 0;
    }
  }
  EXPECT_GT(tasks, 3 * kTunings);
  EXPECT_GT(by_finals, tasks / 2) << "most have finals";
}

TEST(OneTruth, ExplainNamesWhatABuildTakes) {
  for (const uint64_t seed : {1, 2}) {
    const RandomTunings t(seed);
    const Sayings build = OfBuild(t, 0, false);
    RecordQuery query;
    query.device = t.devices()[0].host;
    query.cache = CacheMode::kColdWeights;
    query.workload = build.begin()->first;
    for (const Record& record : t.store().Find(query)) {
      if (record.measurement.fate != Fate::kOk) continue;
      const Explanation e = ExplainRecord(record, t.store());
      EXPECT_EQ(OfRecord(*t.store().Get(e.best_id)), build.begin()->second);
      EXPECT_EQ(e.best_ns, build.begin()->second.ns);
      break;
    }
  }
}

TEST(OneTruth, ABuiltPackageHasWhatTheSourceChose) {
  const RandomTunings t(3);
  const Sayings chosen = OfBuild(t, 0, true);
  const RecordLayers layers = t.Layers(true);
  RecordConfigSource source(layers, FingerprintOf(t.devices()[0]));
  BuildOptions options;
  options.context = t.context();
  options.configs = &source;
  for (const PlanKernel& kernel : Build(t.module(), options).plan.kernels) {
    const Dispatch& d = kernel.dispatch;
    if (d.workload.empty() || d.record.empty()) continue;
    EXPECT_EQ((Said{d.schedule + " " + d.config, d.expected_ns}), chosen.at(d.workload));
  }
}

}  // namespace
}  // namespace hone
