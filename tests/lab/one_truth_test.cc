// Every place that names a best config or a gain says the same, over random tunings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "compiler/build.h"
#include "lab/comparison/compare_records.h"
#include "lab/dashboard/tuning_watch.h"
#include "lab/history/record_changes.h"
#include "lab/records/best_records.h"
#include "lab/records/explain_record.h"
#include "lab/report/charts.h"
#include "tests/lab/random_tunings.h"
#include "tuner/best_by_records.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

constexpr int kTunings = 20;

// The config and time that one place names for a task.
struct Said {
  std::string config;
  int64_t ns = 0;
  bool operator==(const Said&) const = default;
};
void PrintTo(const Said& said, std::ostream* out) { *out << said.config << " " << said.ns << " ns"; }

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
  report.setup = SetupOf(t.context().target, FingerprintOf(t.devices()[device]), 1, CacheMode::kColdWeights);
  for (const Task& task : t.tasks()) {
    TaskReport& of = report.tasks.emplace_back();
    const std::string text = task.workload.ToText();
    const Proposal& before = t.before(t.last_run(device), text);
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
  for (const WatchedRun& run : watch.State(RandomPlace().begin_unix_ms).runs) {
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
