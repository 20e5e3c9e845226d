// hone's JSON output, byte for byte: fixed values against files of tests/data/golden, so that no schema changes
// unnoticed. A new field there also belongs in docs/reference/formats.md or docs/reference/cli.md. HONE_WRITE_GOLDEN=1
// rewrites the files.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/printing/tune_output.h"
#include "cli/printing/tune_report.h"
#include "db/foreign/record_exports.h"
#include "db/record_log.h"
#include "lab/bench/bench_result.h"
#include "lab/comparison/comparison_json.h"
#include "lab/history/history_forms.h"
#include "lab/profile/profile.h"
#include "tests/db/sample_record.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

constexpr int64_t kSomeDayMs = 1'763'851'800'000;  // 2025-11-22T22:50:00Z

void ExpectGolden(const std::string& name, const Json& json) {
  const std::string path = std::string(HONE_TEST_DATA) + "/golden/" + name + ".json", text = json.dump(1) + "\n";
  if (std::getenv("HONE_WRITE_GOLDEN") != nullptr) WriteBytes(path, text);
  EXPECT_EQ(text, ReadBytes(path)) << path << ": with HONE_WRITE_GOLDEN=1 it is written anew";
}

// Every field has a value.
Environment SomeMachine() {
  Environment machine = EpycOf("AuthenticAMD-25-1-1");
  machine.host = "left";
  machine.microcode = "0xa0011d5";
  machine.features = "avx2 fma";
  machine.cores = 2;
  machine.caches = "32K,512K,32M";
  machine.governor = "performance";
  machine.kernel = "6.1.0";
  machine.hypervisor = "KVM";
  machine.isolation = "fork,rlimit";
  machine.load = 0.25;
  machine.hone_version = "0.1.0";
  machine.arch = "x86_64";
  machine.llvm_cpu = "znver3";
  machine.core_kind = "smt";
  machine.key = "boards";
  machine.label = "left-1";
  machine.golden_kernel = "1-avx2-128K-64M";
  machine.golden_ns = 900'123;
  machine.health = "golden kernel 6.1 % slower than usual (arithmetic)";
  machine.roofs = "90.0 GFLOP/s, 20.0 GB/s; 2 threads 180.0 GFLOP/s, 30.5 GB/s";
  machine.mhz = 3394;
  machine.celsius = 61.5;
  return machine;
}

// It is never run, so its plan may have any values; one call has knobs.
std::shared_ptr<const Package> SomePackage() {
  Plan plan = testing::TestPlan();
  plan.model = "net";
  plan.kernels[0].dispatch = {kSampleWorkload, "dense_gemv", "oc_block=16", "record", "0123456789abcdef", 900, ""};
  plan.kernels[1].dispatch = {"", "generic", "", "generic", "", 0, ""};
  plan.calls[0].nodes = {"fc1", "relu1"};
  plan.calls[0].flops = 64'000;
  return Package::InspectBytes(testing::PackTestPackage(plan, testing::ReadTestKernels(),
                                                        std::string(static_cast<size_t>(plan.params_bytes), '\0')),
                               "P.hone");
}

TimedPackage SomeTimes(const std::string& path, int64_t slower) {
  TimedPackage timed;
  timed.path = path;
  timed.threads = 2;
  timed.runs = 12;
  timed.batch = 2;
  for (int64_t round = 0; round < 3; ++round) {
    const std::vector<int64_t> samples_ns = {1000 * slower + round, 1100 * slower, 1040 * slower, 1200 * slower};
    timed.samples_ns.insert(timed.samples_ns.end(), samples_ns.begin(), samples_ns.end());
    timed.rounds.push_back(RoundOf(samples_ns, 4, 8000, 4500));
  }
  timed.call_ns = {800 * slower, 200 * slower};
  timed.package = SomePackage();
  return timed;
}

MachineContext SomeContext() {
  return {"2025-11-22T22:50:00+00:00",
          "Linux",
          2,
          1,
          3394,
          int64_t{8} << 30,
          true,
          true,
          {{"Data", 1, 32'768, 2}, {"Unified", 3, int64_t{32} << 20, 2}},
          {0.25, 0.5, 0.75}};
}

Verdict SomeVerdict(const std::string& package, const std::string& against) {
  Verdict verdict;
  verdict.package = package;
  verdict.against = against;
  verdict.finding = Finding::kSlower;
  verdict.ratio = 1.5;
  verdict.low = 1.25;
  verdict.high = 1.75;
  verdict.p = 0.001953125;
  verdict.test = "signed-rank";
  verdict.rounds = 10;
  verdict.enough = true;
  return verdict;
}

BenchResult SomeBench() {
  BenchResult result;
  result.packages = {SomeTimes("old.hone", 1), SomeTimes("new.hone", 2)};
  result.packages[1].settled = false;
  result.packages[1].joules_per_run = 0.0625;
  result.machine = SomeMachine();
  result.context = SomeContext();
  result.conditions = {false, "turns", false, "random"};
  result.noise.steal_share = 0.03125;
  result.energy = {true, {"package-0"}, ""};
  result.verdicts = {SomeVerdict("new.hone", "old.hone")};
  result.per_op = true;
  JudgeNoise(result);
  return result;
}

// The manifest holds the hash of the test's kernels, which differs between compilers.
Json WithoutHashes(Json json) {
  for (Json& package : json["packages"]) {
    EXPECT_EQ(package["package_sha256"].get<std::string>().size(), 64U);
    package["package_sha256"] = "of the package";
  }
  return json;
}

TEST(GoldenJson, BenchResultOfTwoPackages) { ExpectGolden("bench", WithoutHashes(ToJson(SomeBench()))); }

TEST(GoldenJson, BenchResultOfStreamsOnARunner) {
  BenchResult result = SomeBench();
  result.packages.pop_back();
  result.packages[0].streams = 4;
  result.conditions = {true, "alone", true, "zeros"};
  result.context.aslr.reset();
  result.energy = {};
  result.per_op = false;
  result.noise = {};
  result.verdicts.clear();
  ExpectGolden("bench_streams", WithoutHashes(ToJson(result)));
}

ComparedLayer SomeLayer(const std::string& name, bool has_knobs, int64_t ns) {
  ComparedLayer layer;
  layer.name = name;
  layer.op = "nn.dense";
  layer.nodes = {"fc1"};
  layer.has_knobs = has_knobs;
  layer.precision = has_knobs ? "float32" : "";
  layer.uses = 2;
  layer.flops = 64'000;
  layer.bytes = 4096;
  layer.origin = has_knobs ? TimeOrigin::kRecord : TimeOrigin::kEstimate;
  layer.time = {ns, ns, ns + 50, 3};
  layer.trials = has_knobs ? 24 : 0;
  layer.schedule = has_knobs ? "dense_gemv" : "generic";
  layer.config = has_knobs ? "oc_block=16" : "";
  layer.source = has_knobs ? "record" : "";
  layer.hone_version = has_knobs ? "0.1.0" : "";
  return layer;
}

ComparedDevice SomeDevice(const std::string& name, bool measured) {
  ComparedDevice device;
  device.setup = device.machine = device.name = name;
  device.short_id = "26b8c1e4";
  device.runners = {"boards/" + name};
  device.keys = {"boards"};
  device.labels = {name};
  device.hosts = {name};
  device.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
  device.threads = 2;
  device.cache = "cold-weights";
  device.environment = SomeMachine();
  device.roofs = {180, 30.5, measured};
  return device;
}

ComparisonReport SomeComparison() {
  ComparisonReport report;
  Comparison& c = report.comparison;
  c.models = {{"net", 4}};
  for (const int64_t slower : {1, 2}) {
    c.devices.push_back(SomeDevice(slower == 1 ? "left" : "right", slower == 1));
    ComparedCell cell;
    cell.layers = {SomeLayer(kSampleWorkload, true, 1000 * slower), SomeLayer("nn.softmax y", false, 100)};
    cell.origin = TimeOrigin::kRecord;
    SumLayers(cell);
    c.cells.push_back({cell});
  }
  c.devices[1].price_per_hour = 0.25;
  c.cells[1][0].joules_per_image = 0.0625;
  c.devices.push_back(SomeDevice("board", false));
  c.devices[2].emulated = true;
  c.cells.push_back({c.cells[1][0]});
  Portability p;
  p.devices = {0, 1};
  const PortedTime own{1000, 1000, 1, 1, 0, 990, 1010, 9, ""}, ported{1000, 1250, 1, 1, 0, 1200, 1300, 9, ""};
  p.times = {{own, ported}, {{0, 0, 0, 1, 1, 0, 0, 0, "it lacks avx512f"}, own}};
  report.portability = {p};
  return report;
}

TEST(GoldenJson, Comparison) { ExpectGolden("comparison", ToJson(SomeComparison())); }

HistorySeries SomeSeries() {
  HistorySeries series;
  series.model = "net";
  series.device = "AMD EPYC #26b8c1e4 (left)";
  series.threads = 2;
  series.precision = "float32";
  series.conditions = "alone";
  series.noisy = 1;
  for (int i = 0; i < 2; ++i) {
    HistoryPoint point;
    point.unix_ms = kSomeDayMs + i;
    point.time = {1000 + 500 * i, 990 + 500 * i, 1010 + 500 * i, 12};
    point.file = "day" + std::to_string(i) + ".json";
    point.with = {"0." + std::to_string(i + 1) + ".0", "of the package", "0xa0011d5", "6.1.0"};
    series.points.push_back(point);
  }
  series.points[1].why_noisy = "rounds differ by 3.5 %";
  series.changes = {{1, 0.0078125, 1.5, 1000, 1500, {"hone 0.1.0 -> 0.2.0"}}};
  series.since = SomeVerdict("", "");
  return series;
}

TEST(GoldenJson, History) {
  History history;
  history.since_ms = kSomeDayMs;
  history.series = {SomeSeries()};
  history.diffs = {{RecordChange::kFaster,
                    kSampleWorkload,
                    "left",
                    2,
                    2000,
                    1000,
                    0.03125,
                    "dense_pack oc_block=8",
                    "dense_gemv oc_block=16",
                    {"hone 0.1.0 -> 0.2.0"}}};
  ExpectGolden("history", ToJson(history));
}

Profile SomeProfile() {
  Profile profile;
  profile.path = "P.hone";
  profile.package = SomePackage();
  profile.threads = 2;
  profile.roof = {"", 2, 180, 30.5};
  const std::vector<PlanCall>& calls = profile.package->plan().calls;
  profile.calls = {{0, calls.at(0).kernel, "fc1", 800, 0.75, 64'000, 49'156, 0.5, false},
                   {1, calls.at(1).kernel, "sum", 250, 0.25, 0, 32'768, 0.625, true}};
  ProfiledRun run;
  run.call_ns = {800, 250};
  run.call_begin_ns = {500, 1500};
  run.work = {{0, 0, 0, 500, 1300}, {0, 0, 1, 600, 1250}, {1, 1, 0, 1500, 1750}};
  profile.runs = {run};
  profile.counts = {4000, 8000, 10, 20, ""};
  return profile;
}

TEST(GoldenJson, Profile) {
  Profile profile = SomeProfile();
  ExpectGolden("profile", ToJson(profile));
  ExpectGolden("trace", ChromeTrace(profile));
  profile.counts = {0, 0, 0, 0, "the kernel lets nobody count"};
  EXPECT_EQ(ToJson(profile)["counters"], nullptr);
}

TaskReport SomeTask() {
  TaskReport task;
  task.workload = Workload::Parse(kSampleWorkload);
  task.uses = 2;
  task.trials = 64;
  task.failed = 3;
  task.seeded = 1;
  task.failure = {Fate::kCrashed, "signal 11", 3};
  task.default_ns = 2000;
  task.best_ns = 1000;
  task.nodes = {"fc1"};
  task.best_schedule = "dense_gemv";
  task.best_config = "oc_block=16";
  task.stopped = "plateau";
  task.finals = {1, 4, true, {1000, 990, 1010}, {1250, 1200, 1300}, 0.25, 0.0078125};
  return task;
}

TEST(GoldenJson, TuneEventsAndReport) {
  Json events = Json::array();
  for (const TuneEventKind kind : {TuneEventKind::kTrial, TuneEventKind::kTask, TuneEventKind::kDone,
                                   TuneEventKind::kFinals, TuneEventKind::kWaiting}) {
    events.push_back(EventJson({kind, kSampleWorkload, 7, Fate::kOk, 1100, 1000, 2000, 5'000'000, "dense_gemv",
                                "oc_block=16", 2, "no runner left", "fc1", 40'000, 50'000, 3}));
  }
  ExpectGolden("tune_events", events);
  TuneReport report;
  report.tasks = {SomeTask()};
  report.trials = 64;
  report.resumed = 8;
  report.elapsed_ns = 20'000'000'000;
  report.trials_per_second = 3.5;
  report.finals_ns = 3'000'000'000;
  report.peak_gflops = 90.5;
  report.to_heal = 3;
  report.not_judged = 1;
  report.unanswered = 2;
  report.no_runner = "no runner left for 600 s";
  report.costs = {1'000'000'000, 2'000'000'000, 3'000'000'000};
  ExpectGolden("tune_report", ReportJson(report));
}

std::vector<Record> SomeRecords() {
  Record right = SampleRecord(4), failed = SampleRecord(5);
  right.measurement.samples_ns = {2000, 3000};
  right.measurement.batch = {100, 50};
  right.measurement.environment = SomeMachine();
  failed.measurement.fate = Fate::kCrashed;
  failed.measurement.message = "signal 11";
  failed.measurement.samples_ns.clear();
  failed.measurement.batch.clear();
  return {Finish(right), Finish(failed)};
}

TEST(GoldenJson, Records) {
  Json records = Json::array();
  for (const Record& record : SomeRecords()) records.push_back(ToJson(record));
  ExpectGolden("records", records);
}

TEST(GoldenJson, RecordsForOtherPrograms) {
  ExpectGolden("records_t4", KernelTunerT4(SomeRecords()));
  ExpectGolden("records_google_benchmark", GoogleBenchmark(SomeRecords()));
}

}  // namespace
}  // namespace hone
