// Every command that names a best config, its time or a gain prints the same, after random tunings of this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "lab/machine/machine.h"
#include "lab/text/number_text.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/spawned_program.h"
#include "runtime/session.h"
#include "tests/cli/run_program.h"
#include "tests/lab/dashboard/http_viewer.h"
#include "tests/lab/random_tunings.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kModel = "zoo:mlp --image-shape 1,14,14";
constexpr const char* kTune = "--trials 1 --finals kernels --hub none";

// The config and time that a command names for a workload.
struct Said {
  std::string config;
  int64_t ns = 0;
  bool operator==(const Said&) const = default;
};
void PrintTo(const Said& said, std::ostream* out) { *out << said.config << " " << said.ns << " ns"; }
using Sayings = std::map<std::string, Said>;

Said SaidBy(const Json& json, const char* ns) {
  return {json.at("schedule").get<std::string>() + " " + json.at("config").get<std::string>(),
          json.at(ns).get<int64_t>()};
}

int64_t UnixMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class OneTruthProgram : public ProgramTest {
 protected:
  std::string Db() const { return Path("work/records.db"); }

  // Leaves a store that `hone tune` with kTune goes on with, and in which it finds its trials made.
  void Tune(uint64_t seed) {
    std::filesystem::remove(Db());
    RandomPlace place;
    MachineOptions machine;
    machine.threads = 1;
    place.context = ResolveMachine(machine).context;
    place.first = ProbeEnvironment();
    place.store = Db();
    place.begin_unix_ms = UnixMs() - 300'000;  // so that the dashboard shows the run
    place.finals_for_all = true;
    TuneOptions options;
    options.model = "zoo:mlp";
    options.context = place.context;
    options.strategy = "model";
    place.session = MakeTuningRun(options).id;
    tunings_.emplace(seed, std::move(place));
  }
  std::string Out(const std::string& line) const {
    const ProgramResult result = Shell(line);
    EXPECT_EQ(result.code, 0) << line << "\n" << result.err;
    return result.out;
  }
  Json Document(const std::string& line) const { return ParseJson(Out(line + " --json"), line); }
  std::string ForModel(const std::string& command) const {
    return fmt::format("hone {} {} --threads 1 --db records.db", command, kModel);
  }
  const Environment& here() const { return tunings_->devices()[0]; }

  void TearDown() override {
    if (dashboard_) kill(dashboard_->pid(), SIGKILL);
    dashboard_.reset();
    ProgramTest::TearDown();
  }
  // The page of the store, once it shows the last run.
  std::string Dashboard() {
    std::filesystem::remove(Path("port"));
    dashboard_ = std::make_unique<SpawnedProgram>(
        HONE_PROGRAM,
        std::vector<std::string>{"dashboard", "--db", Db(), "--bind", "127.0.0.1:*", "--port-file", Path("port")}, 2);
    std::string page;
    for (int i = 0; i < 400 && page.find("run-" + tunings_->last_run(0)) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      const std::string url = std::filesystem::exists(Path("port")) ? Read("port") : "";
      if (url.ends_with("\n")) page = AskHttp(PortOfUrl(url.substr(0, url.size() - 1)), "/").body;
    }
    kill(dashboard_->pid(), SIGKILL);
    dashboard_.reset();
    return page;
  }

  std::optional<RandomTunings> tunings_;
  std::unique_ptr<SpawnedProgram> dashboard_;
};

// The closing report of a tuning that makes no more trials.
Json ReportOf(const std::string& lines) {
  Json report;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    Json event = ParseJson(lines.substr(begin, end - begin), "an event");
    if (event.at("event") == "done") report = std::move(event);
    begin = end + 1;
  }
  return report;
}

Sayings OfTune(const Json& report) {
  Sayings said;
  for (const Json& task : report.at("tasks")) said[task.at("task")] = SaidBy(task, "best_ns");
  return said;
}

Sayings OfBuild(const Json& build) {
  Sayings said;
  for (const Json& kernel : build.at("dispatch")) {
    if (!kernel.at("workload").get<std::string>().empty() && kernel.at("source") == "record")
      said[kernel.at("workload")] = SaidBy(kernel, "expected_ns");
  }
  return said;
}

Sayings OfWhy(const Json& why) {
  Sayings said;
  for (const Json& workload : why.at("workloads")) said[workload.at("workload")] = SaidBy(workload, "expected_ns");
  return said;
}

Said OfRecord(const Json& record) {
  const auto samples = record.at("measurement").at("samples_ns").get<std::vector<int64_t>>();
  return {record.at("schedule").get<std::string>() + " " + record.at("config").get<std::string>(),
          *std::min_element(samples.begin(), samples.end())};
}

Sayings OfRecords(const Json& records, const Environment& device) {
  Sayings said;
  for (const Json& record : records) {
    if (record.at("measurement").at("environment").at("host") == device.host &&
        record.at("timing").at("cache") == "cold-weights") {
      said[record.at("workload")] = OfRecord(record);
    }
  }
  return said;
}

Sayings OfCompare(const Json& comparison, const Environment& device) {
  Sayings said;
  for (const Json& cell : comparison.at("cells")) {
    const Json& of = comparison.at("devices").at(cell.at("device").get<size_t>());
    if (of.at("cache") != "cold-weights" || of.at("environment").at("host") != device.host) continue;
    for (const Json& layer : cell.at("layers")) {
      if (layer.at("knobs").get<bool>()) said[layer.at("name")] = SaidBy(layer, "ns");
    }
  }
  return said;
}

Sayings OfHistory(const Json& history) {
  Sayings said;
  for (const Json& diff : history.at("diffs")) {
    if (!diff.at("device").get<std::string>().ends_with(", warm"))
      said[diff.at("workload")] = {diff.at("after"), diff.at("after_ns")};
  }
  return said;
}

bool KnowsDefault(const Json& task) { return task.at("default_ns").get<int64_t>() > 0; }

// Over the tasks with a time of the default, of which a gain can be told.
int64_t SumOf(const Json& report, const char* of) {
  int64_t sum = 0;
  for (const Json& task : report.at("tasks")) {
    if (KnowsDefault(task)) sum += task.at("uses").get<int64_t>() * task.at(of).get<int64_t>();
  }
  return sum;
}

// The rows of a page's tables with a cell of exactly this text.
std::vector<std::string> RowsWith(const std::string& page, const std::string& cell) {
  std::vector<std::string> rows;
  for (size_t begin = page.find("<tr>"); begin != std::string::npos; begin = page.find("<tr>", begin + 1)) {
    const std::string row = page.substr(begin, page.find("</tr>", begin) - begin);
    if (row.find(">" + cell + "</t") != std::string::npos) rows.push_back(row);
  }
  return rows;
}

std::string Cell(const std::string& text) { return ">" + text + "</td>"; }

void ExpectReport(const std::string& page, const Sayings& tuned, const Environment& device) {
  const std::string id = "#" + FingerprintOf(device).ShortId();
  for (const auto& [workload, said] : tuned) {
    EXPECT_THAT(RowsWith(page, workload), Contains(AllOf(HasSubstr(id), HasSubstr(Cell(TimeText(said.ns))))));
  }
}

void ExpectDashboard(const std::string& page, const Json& report) {
  const Json& tasks = report.at("tasks");
  if (std::all_of(tasks.begin(), tasks.end(), KnowsDefault)) {
    const int64_t best_ns = SumOf(report, "best_ns"), before_ns = SumOf(report, "default_ns");
    const auto model = AllOf(HasSubstr(Cell(TimeText(best_ns))), HasSubstr(Cell(RatioText(before_ns, best_ns))));
    EXPECT_THAT(RowsWith(page, report.at("target")), Contains(model));
  }
  for (const Json& task : tasks) {
    const Said said = SaidBy(task, "best_ns");
    const int64_t default_ns = task.at("default_ns").get<int64_t>();
    const auto best = AllOf(HasSubstr(Cell(said.config)), HasSubstr(Cell(TimeText(said.ns))));
    const auto gain = AllOf(HasSubstr(Cell(TimeText(default_ns))), HasSubstr(Cell(RatioText(default_ns, said.ns))));
    const std::vector<std::string> rows = RowsWith(page, task.at("task"));
    EXPECT_THAT(rows, Contains(best));
    if (default_ns > 0) {
      EXPECT_THAT(rows, Contains(AllOf(best, gain)));
    }
  }
}

// The weights of this model stay in the cache, which the estimate of a layer by itself does not know. So a build takes
// one thread where that estimate takes two.
TEST_F(OneTruthProgram, TheDefaultOfATuningIsWhatABuildTook) {
  const std::string model = fmt::format("{} --threads {} --hub none", kModel, std::min(2, AllowedCores()));
  Sayings built, tuned;
  for (const Json& kernel : Document("hone build " + model + " --no-records -o p.hone").at("dispatch")) {
    if (kernel.at("workload") != "") built[kernel.at("workload")] = SaidBy(kernel, "expected_ns");
  }
  const std::string tune = "hone tune " + model + " --db fresh.db --trials 3 --finals kernels --json";
  for (const Json& task : ReportOf(Out(tune)).at("tasks")) {
    const Json& before = task.at("default");
    const std::string config =
        fmt::format("{} {}", before.at("schedule").get<std::string>(), before.at("config").get<std::string>());
    tuned[task.at("task")] = {config, built[task.at("task")].ns};
  }
  EXPECT_EQ(tuned, built);
}

TEST_F(OneTruthProgram, EveryCommandPrintsTheSameBestAndGain) {
  for (const uint64_t seed : {11, 12, 13}) {
    SCOPED_TRACE(seed);
    Tune(seed);
    const Json report = ReportOf(Out(ForModel("tune") + " " + kTune + " --json"));
    EXPECT_EQ(report.at("trials"), 0) << "it goes on with the trials that are there";
    const Sayings tuned = OfTune(report);
    ASSERT_EQ(tuned.size(), tunings_->tasks().size());
    const std::string best = TimeText(SumOf(report, "best_ns")), before = TimeText(SumOf(report, "default_ns"));
    EXPECT_THAT(Out(ForModel("tune") + " " + kTune),
                HasSubstr(fmt::format("sum over uses: default {}, best {}", before, best)));

    const Json build = Document(ForModel("build") + " --hub none -o p.hone");
    EXPECT_EQ(OfBuild(build), tuned);
    EXPECT_EQ(OfWhy(Document(ForModel("log why") + " --hub none")), tuned);
    EXPECT_EQ(OfRecords(Document("hone log best --db records.db").at("records"), here()), tuned);
    const std::string same_setup = fmt::format(" --device '{}' --db records.db", here().host);
    EXPECT_EQ(OfCompare(Document(fmt::format("hone compare {}{}", kModel, same_setup)), here()), tuned);
    EXPECT_EQ(OfHistory(Document(fmt::format("hone compare {}{} --since 2020-01-01", kModel, same_setup))), tuned);
    for (const auto& [workload, said] : tuned) {
      const Json explained = Document(fmt::format("hone explain '{}' --db records.db", workload));
      EXPECT_EQ(explained.at("best").at("ns"), said.ns);
      EXPECT_EQ(explained.at("record"), explained.at("best").at("record")) << "a workload means its best record";
      EXPECT_EQ(SaidBy(explained.at("kernels")[0], "ns").config, said.config);
    }
    Out("hone report --db records.db -o report.html");
    ExpectReport(Read("work/report.html"), tuned, here());
    ExpectDashboard(Dashboard(), report);
  }
}

}  // namespace
}  // namespace hone
