// A dashboard's view of a store that others write to, and the queries that it makes.
#include "lab/dashboard/tuning_watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/json/serialize.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

constexpr int64_t kBegin = 1'700'000'000'000;
constexpr const char* kSmall = "nn.dense data=1x8 weight=4x8 dtype=float32 epilogue=none";
constexpr const char* kLarge = "nn.dense data=1x64 weight=32x64 dtype=float32 epilogue=none";

// A store that counts its queries.
class CountedStore : public RecordStore {
 public:
  explicit CountedStore(std::unique_ptr<RecordStore> store) : store_(std::move(store)) {}
  int64_t Append(const std::vector<Record>& records) override { return store_->Append(records); }
  std::vector<Record> Find(const RecordQuery& query) const override { return ++others, store_->Find(query); }
  int64_t Arrived() const override { return store_->Arrived(); }
  std::optional<Record> Get(const std::string& id) const override { return ++others, store_->Get(id); }
  std::vector<std::string> Ids(int64_t after, int64_t until) const override {
    return ++others, store_->Ids(after, until);
  }
  int64_t CountKnown(const std::vector<std::string>& ids) const override { return ++others, store_->CountKnown(ids); }
  std::vector<std::string> Workloads() const override { return ++others, store_->Workloads(); }
  std::vector<Ranked> Best(const std::string& workload, const Target& target, const Fingerprint& machine, int threads,
                           int64_t limit) const override {
    return ++others, store_->Best(workload, target, machine, threads, limit);
  }
  int64_t AppendForeign(const std::vector<ForeignTrial>& trials) override { return store_->AppendForeign(trials); }
  std::vector<ForeignTrial> FindForeign(const std::string& workload, int64_t limit) const override {
    return ++others, store_->FindForeign(workload, limit);
  }
  Claims& claims() override { return store_->claims(); }
  void PutRun(const TuningRun& run) override { store_->PutRun(run); }
  std::optional<TuningRun> GetRun(const std::string& id) const override { return ++gets, store_->GetRun(id); }
  std::vector<TuningRun> Runs() const override { return ++run_lists, store_->Runs(); }
  StoreStats Stats() const override { return ++others, store_->Stats(); }
  std::vector<BestRow> Rows(const std::string& workload) const override { return ++looks, store_->Rows(workload); }
  void EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const override {
    // Each query starts from a place in order of arrival or is of one run, because both have an index. It is never for
    // many rows at once.
    EXPECT_TRUE(query.after > 0 || !query.session.empty() || query.until <= 4096);
    EXPECT_TRUE(query.workload.empty() && query.device.empty() && query.cpu.empty());
    EXPECT_GT(query.limit, 0);
    EXPECT_LE(query.limit, TuningWatch::kSlice);
    store_->EachTrial(query, [&](const TrialRow& row) {
      ++rows;
      visit(row);
    });
  }
  void Forget() { rows = others = gets = run_lists = looks = 0; }

  mutable int64_t rows = 0, others = 0, gets = 0, run_lists = 0, looks = 0;

 private:
  std::unique_ptr<RecordStore> store_;
};

class TuningWatchTest : public testing::Test {
 protected:
  TuningWatchTest() : store_(place_.Open()) {}

  void PutRun(const std::string& id, const std::string& state, int64_t uses_of_small = 3) {
    const Json asked = {
        {"model", "zoo:" + id},
        {"target", "llvm -mcpu=znver3"},
        {"threads", 2},
        {"strategy", "model"},
        {"tasks", Json::array({{{"workload", kLarge}, {"uses", 1}}, {{"workload", kSmall}, {"uses", uses_of_small}}})}};
    store_.PutRun({id, state, DumpJson(asked)});
  }
  Record Trial(const std::string& session, const char* workload, int64_t ns, Fate fate = Fate::kOk) {
    Record record = SampleRecord(++number_);
    record.candidate.workload = Workload::Parse(workload);
    record.session = session;
    record.unix_ms = kBegin + number_ * 100;
    record.measurement.fate = fate;
    record.measurement.samples_ns = {ns};
    if (fate != Fate::kOk) record.measurement.samples_ns.clear();
    if (fate != Fate::kOk) record.measurement.batch.clear();
    return Finish(record);
  }
  WatchedStore Look() {
    while (!watch_.Look(store_)) {
    }
    return watch_.State(kBegin + number_ * 100);
  }

  StorePlace place_;
  CountedStore store_;
  TuningWatch watch_;
  int number_ = 0;
};

TEST_F(TuningWatchTest, KnowsNodesAndTheTimeLeftOfTheBudget) {
  const Json task = {{"workload", kLarge}, {"node", "/layer1/conv1"}, {"uses", 1}};
  const auto put = [&](const char* state) {
    const Json budget = {{"ms", 60'000}, {"begun_unix_ms", kBegin - 20'000}};
    store_.PutRun({"resnet", state, DumpJson({{"model", "m"}, {"tasks", Json::array({task})}, {"budget", budget}})});
  };
  put("running");
  store_.Append({Trial("resnet", kLarge, 1'000)});
  const WatchedRun run = Look().runs.at(0);
  EXPECT_EQ(run.tasks.at(0).node, "/layer1/conv1");
  EXPECT_EQ(run.budget_left_ms, 40'000 - number_ * 100);
  EXPECT_EQ(watch_.State(kBegin + 50'000).runs.at(0).budget_left_ms, 0) << "it is over";
  put("done");
  store_.Append({Trial("resnet", kLarge, 1'000)});
  EXPECT_EQ(Look().runs.at(0).budget_left_ms, 0) << "it has ended";
}

TEST_F(TuningWatchTest, AnEmptyStoreHasNothing) {
  EXPECT_THAT(Look().runs, SizeIs(0));
  EXPECT_EQ(Look().arrived, 0);
}

TEST_F(TuningWatchTest, ReportsEarlierAndNewTrials) {
  PutRun("a", "running");
  store_.Append({Trial("a", kLarge, 9'000), Trial("a", kSmall, 1'000)});
  WatchedStore state = Look();
  ASSERT_THAT(state.runs, SizeIs(1));
  EXPECT_EQ(state.runs[0].model, "zoo:a");
  EXPECT_EQ(state.runs[0].threads, 2);
  EXPECT_EQ(state.runs[0].ModelNs(), 9'000 + 3 * 1'000);
  store_.Append({Trial("a", kLarge, 12'000), Trial("a", kLarge, 0, Fate::kCrashed), Trial("a", kLarge, 7'000)});
  state = Look();
  const WatchedRun& run = state.runs[0];
  EXPECT_EQ(run.trials, 5);
  EXPECT_EQ(run.failed, 1);
  EXPECT_EQ(run.ModelNs(), 7'000 + 3 * 1'000);
  EXPECT_EQ(run.FirstModelNs(), 9'000 + 3 * 1'000);
  EXPECT_THAT(run.Curve(), ElementsAre(Pair(0, 12'000), Pair(400, 10'000), Pair(400, 10'000)));
  EXPECT_EQ(run.tasks[0].workload, kLarge);
  EXPECT_EQ(run.tasks[0].trials, 4);
  EXPECT_EQ(run.tasks[0].config, "oc_block=16 tile_ow=5");
  EXPECT_DOUBLE_EQ(run.per_second, 4) << "four within the least span, a second";
  ASSERT_THAT(state.devices, SizeIs(1));
  EXPECT_EQ(state.devices[0].runner, "Bench-1");
  EXPECT_EQ(state.devices[0].measured, 5);
}

// `hone tune` measures a noisy trial again, and counts it once.
TEST_F(TuningWatchTest, CountsATrialOnceHoweverOftenItIsMeasured) {
  PutRun("a", "running");
  const Record once = Trial("a", kLarge, 9'000);
  Record noisy = once, failed = once;
  noisy.measurement.noisy = true;
  failed.measurement.fate = Fate::kCrashed;
  failed.measurement.samples_ns.clear();
  failed.measurement.batch.clear();
  for (Record* record : {&noisy, &failed}) {
    record->unix_ms -= 50;
    record->id.clear();
    *record = Finish(*record);
  }
  store_.Append({noisy, failed, once});
  const WatchedStore state = Look();
  ASSERT_THAT(state.runs, SizeIs(1));
  EXPECT_EQ(state.runs[0].trials, 1);
  EXPECT_EQ(state.runs[0].failed, 0) << "the last attempt counts";
  EXPECT_EQ(state.devices[0].measured, 3);
}

TEST_F(TuningWatchTest, ALookReadsWhatArrivedAndNothingElse) {
  for (const char* id : {"a", "b", "c"}) PutRun(id, "running");
  std::vector<Record> records;
  for (int i = 0; i < 3000; ++i) records.push_back(Trial(i % 2 == 0 ? "a" : "b", kSmall, 1'000));
  store_.Append(records);
  ASSERT_THAT(Look().runs, SizeIs(2));
  store_.Forget();
  Look();
  EXPECT_EQ(store_.rows, 0);
  EXPECT_LE(store_.gets, 3);
  store_.Append({Trial("a", kSmall, 900), Trial("a", kSmall, 800)});
  Look();
  EXPECT_EQ(store_.rows, 2);
  EXPECT_EQ(store_.run_lists + store_.others, 0);
  EXPECT_EQ(store_.looks, 1) << "one task has another best";
  store_.Forget();
  store_.Append({Trial("a", kSmall, 5'000)});
  Look();
  EXPECT_EQ(store_.looks, 0) << "a slower trial changes no best";
}

TEST_F(TuningWatchTest, ARunThatBeginsAgainLaterIsKnownWhole) {
  PutRun("old", "interrupted");
  std::vector<Record> records;
  for (int i = 0; i < 1200; ++i) records.push_back(Trial("old", kSmall, 1'000 + i));
  for (int i = 0; i < 5000; ++i) records.push_back(Trial("", kLarge, 5'000));
  store_.Append(records);
  EXPECT_THAT(Look().runs, SizeIs(0)) << "it is not among the last that arrived";
  PutRun("old", "running");
  store_.Append({Trial("old", kLarge, 50)});
  const WatchedStore state = Look();
  ASSERT_THAT(state.runs, SizeIs(1));
  EXPECT_EQ(state.runs[0].trials, 1201);
  EXPECT_EQ(state.runs[0].ModelNs(), 50 + 3 * 1'000);
}

TEST_F(TuningWatchTest, SaysWhichRunsRunWhichFellSilentAndWhichEnded) {
  PutRun("done", "done");
  PutRun("runs", "running");
  store_.Append({Trial("done", kSmall, 1'000), Trial("runs", kSmall, 1'000), Trial("no run", kSmall, 1'000)});
  Look();
  const auto states_at = [this](int64_t later_ms) {
    std::vector<std::string> states;
    for (const WatchedRun& run : watch_.State(kBegin + later_ms).runs) states.push_back(run.id + " " + run.state);
    return states;
  };
  EXPECT_THAT(states_at(1'000), ElementsAre("runs running", "done done"));
  EXPECT_THAT(states_at(120'000), ElementsAre("runs silent", "done done"));
  EXPECT_THAT(states_at(2 * 3'600'000), ElementsAre("runs silent"));
  EXPECT_THAT(states_at(int64_t{25} * 3'600'000), ElementsAre());
  PutRun("runs", "done");
  Look();
  EXPECT_THAT(states_at(1'000), ElementsAre("runs done", "done done"));
}

TEST_F(TuningWatchTest, RoundsOfFinalsAreNoTrials) {
  PutRun("a", "running");
  Record final_round = Trial("a", kSmall, 1);
  final_round.finals = {1, 1, 1, false, 0};
  final_round.id.clear();
  store_.Append({Trial("a", kSmall, 1'000), Finish(final_round)});
  const WatchedStore state = Look();
  EXPECT_EQ(state.runs[0].trials, 1);
  EXPECT_EQ(state.runs[0].tasks[1].best_ns, 1) << "it is the winner's";
  EXPECT_EQ(state.runs[0].tasks[1].finals, 1);
}

TEST_F(TuningWatchTest, TheWinnerOfFinalsIsTheBestAndTheDefaultTheFirst) {
  const Record lucky = Trial("a", kSmall, 80), winner = Trial("a", kSmall, 100), before = Trial("a", kSmall, 90);
  const auto in_finals = [](Record record, int64_t ns, int place) {
    record.measurement.samples_ns = {ns};
    record.finals = {1, 1, place, false, 0};
    record.id.clear();
    return Finish(record);
  };
  const Json dense = {
      {"workload", kSmall},
      {"uses", 1},
      {"default", {{"schedule", before.candidate.schedule}, {"config", before.candidate.config.ToText()}}}};
  store_.PutRun({"a", "running", DumpJson({{"model", "m"}, {"tasks", Json::array({dense})}})});
  store_.Append({lucky, winner, before});
  EXPECT_EQ(Look().runs[0].tasks[0].best_ns, 80);
  EXPECT_EQ(Look().runs[0].tasks[0].first_ns, 90);
  store_.Append({in_finals(lucky, 105, 2), in_finals(winner, 102, 1), in_finals(before, 110, 3)});
  const WatchedRun run = Look().runs[0];
  EXPECT_EQ(run.tasks[0].config, winner.candidate.config.ToText());
  EXPECT_EQ(run.ModelNs(), 102);
  EXPECT_EQ(run.FirstModelNs(), 110);
  EXPECT_EQ(run.Curve().back().second, 102) << "the picture ends where the table does";
}

TEST_F(TuningWatchTest, NoTrialIsMeasuredWhereNothingRuns) {
  PutRun("a", "running");
  std::vector<Record> burst;
  for (int i = 0; i < 3000; ++i) burst.push_back(Trial("a", kSmall, 1'000));
  for (Record& record : burst) record.unix_ms = kBegin;
  for (Record& record : burst) record = (record.id.clear(), Finish(record));
  store_.Append(burst);
  while (!watch_.Look(store_)) {
  }
  EXPECT_LE(watch_.State(kBegin + 1'000).runs[0].per_second, 3000);
  PutRun("a", "done");
  while (!watch_.Look(store_)) {
  }
  const WatchedStore state = watch_.State(kBegin + 1'000);
  EXPECT_EQ(state.runs[0].per_second, 0);
  EXPECT_EQ(state.devices[0].per_second, 0);
}

TEST_F(TuningWatchTest, ARunOfAnOlderHoneHasTasksAndNoSum) {
  store_.PutRun({"old", "running", "{\"model\":\"m.onnx\"}"});
  store_.PutRun({"odd", "running", "{\"tasks\":[1,{\"uses\":\"x\"}],\"threads\":null,\"model\":7}"});
  store_.PutRun({"broken", "running", "no JSON"});
  store_.Append({Trial("old", kSmall, 1'000), Trial("odd", kSmall, 1'000), Trial("broken", kSmall, 1'000)});
  const WatchedStore state = Look();
  ASSERT_THAT(state.runs, SizeIs(3));
  for (const WatchedRun& run : state.runs) {
    EXPECT_EQ(run.ModelNs(), 0) << run.id;
    EXPECT_EQ(run.trials, 1) << run.id;
  }
}

TEST_F(TuningWatchTest, KeepsALimitedNumberOfRuns) {
  std::vector<Record> records;
  for (size_t i = 0; i < TuningWatch::kMostRuns + 20; ++i) {
    PutRun(fmt::format("run{}", i), "running");
    records.push_back(Trial(fmt::format("run{}", i), kSmall, 1'000));
  }
  store_.Append(records);
  EXPECT_THAT(Look().runs, SizeIs(TuningWatch::kMostRuns));
  // Runs with trials stay, and a new one takes the place of one that fell silent.
  number_ += 1200;
  PutRun("late", "running");
  store_.Append({Trial("late", kSmall, 1'000)});
  const WatchedStore state = Look();
  EXPECT_THAT(state.runs, SizeIs(TuningWatch::kMostRuns));
  EXPECT_EQ(state.runs[0].id, "late");
}

TEST(WatchedRun, KeepsABoundedHistoryWithBothEnds) {
  WatchedRun run;
  run.first_unix_ms = kBegin;
  run.tasks.emplace_back();
  run.tasks[0].uses = 1;
  run.tasks[0].first_ns = 5'000;
  for (int i = 1; i < 1000; ++i) {
    run.tasks[0].best_ns = 5'000 - i;
    run.NoteGain(kBegin + i);
  }
  run.last_unix_ms = kBegin + 999;
  EXPECT_LE(run.gains.size(), WatchedRun::kMostSteps);
  EXPECT_GT(run.gains.size(), WatchedRun::kMostSteps / 3);
  EXPECT_THAT(run.Curve().front(), Pair(0, 5'000));
  EXPECT_THAT(run.Curve().back(), Pair(999, 4'001));
}

// A task that gets its first time late is in the curve from the beginning, so the curve never rises.
TEST(WatchedRun, DrawsTheModelFromTheFirstTrialOn) {
  WatchedRun run;
  run.first_unix_ms = kBegin;
  run.tasks.resize(2);
  for (WatchedTask& task : run.tasks) task.uses = 2;
  EXPECT_TRUE(run.Curve().empty());
  run.tasks[0].first_ns = run.tasks[0].best_ns = 100;
  run.tasks[0].best_ns = 80;
  run.NoteGain(kBegin + 10);
  run.tasks[1].first_ns = run.tasks[1].best_ns = 1'000;
  run.NoteGain(kBegin + 20);
  run.tasks[1].best_ns = 700;
  run.NoteGain(kBegin + 30);
  run.last_unix_ms = kBegin + 40;
  EXPECT_THAT(run.Curve(), ElementsAre(Pair(0, 2'200), Pair(10, 2'160), Pair(30, 1'560), Pair(40, 1'560)));
}

TEST(WatchedTask, KnowsWhichKnobMatters) {
  WatchedTask task;
  task.schedule = "dense_pack";
  for (int a : {1, 2}) {
    for (int b : {1, 2, 3}) {
      ++task.trials;
      task.NotePoint(1'000 * a + 10 * b, "dense_pack", "a=" + std::to_string(a) + " b=" + std::to_string(b) + " c=7");
    }
  }
  task.NotePoint(5, "another", "b=9");
  const auto knobs = task.KnobsThatMatter();
  ASSERT_THAT(knobs, SizeIs(2)) << "c had one value";
  EXPECT_EQ(knobs[0].first, "a");
  EXPECT_NEAR(knobs[0].second, 2'010.0 / 1'010, 1e-9);
  EXPECT_EQ(knobs[1].first, "b");
  task.NotePoint(5, "dense_pack", "no config");
  for (int i = 0; i < 1000; ++i) task.NotePoint(5, "dense_pack", "a=1");
  EXPECT_LE(task.points.size(), WatchedTask::kMostPoints);
}

TEST_F(TuningWatchTest, SaysThatTheRunnersOfARunAreLost) {
  PutRun("a", "running");
  store_.Append(
      {Trial("a", kSmall, 1'000), Trial("a", kSmall, 0, Fate::kRunnerLost), Trial("a", kSmall, 0, Fate::kRunnerLost)});
  EXPECT_EQ(Look().runs[0].state, "running");
  store_.Append({Trial("a", kSmall, 0, Fate::kRunnerLost)});
  const WatchedRun run = Look().runs[0];
  EXPECT_EQ(run.state, "runners lost");
  EXPECT_EQ(run.tasks[1].fates.at(Fate::kRunnerLost), 3);
  store_.Append({Trial("a", kSmall, 900)});
  EXPECT_EQ(Look().runs[0].state, "running");
}

TEST(TrialRate, CountsTheLastMinutes) {
  TrialRate rate;
  EXPECT_EQ(rate.PerSecond(0), 0);
  for (int i = 0; i < 10'000; ++i) rate.Count(kBegin + 25 * i);
  const int64_t end = kBegin + 25 * 9'999;
  EXPECT_NEAR(rate.PerSecond(end), 40, 0.1);
  EXPECT_NEAR(rate.PerSecond(end + 10'000), 40, 0.1);
  EXPECT_EQ(rate.PerSecond(end + TrialRate::kWindowMs + 1), 0);
}

}  // namespace
}  // namespace hone
