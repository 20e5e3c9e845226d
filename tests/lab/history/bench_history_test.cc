// Histories from saved bench results and from records.
#include "lab/history/bench_history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "lab/bench_format.h"
#include "lab/history/history_forms.h"
#include "lab/history/record_changes.h"
#include "lab/report/history_page.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr int64_t kDayMs = 86'400'000;

// A result of hone bench on a day of 2026-01, with only the fields that a history reads.
struct Result {
  int day = 1;
  int64_t ns = 1'000'000;
  std::string hone_version = "0.1.0", sha = std::string(64, 'a'), host = "left", noise;
  std::string machine = "AuthenticAMD-25-1-1", date;
};

std::string TextOf(const Result& result) {
  Environment machine = EpycOf(result.machine);
  machine.host = result.host;
  const Json json = {
      {"format", kBenchFormat},
      {"version", kBenchVersion},
      {"context",
       {{"date", result.date.empty() ? fmt::format("2026-01-{:02}T10:00:00+00:00", result.day) : result.date}}},
      {"machine", ToJson(machine)},
      {"conditions", {{"mode", "latency"}, {"cache", "alone"}, {"there", false}, {"fill", "random"}}},
      {"noise", {{"notes", result.noise.empty() ? Json::array() : Json::array({result.noise})}}},
      {"packages",
       {{{"name", "net.hone"},
         {"model", "net"},
         {"package_sha256", result.sha},
         {"hone_version", result.hone_version},
         {"threads", 2},
         {"images", 1},
         {"precision", "float32"},
         {"median_ns", result.ns},
         {"median_ci95_ns", {result.ns - 10, result.ns + 10}},
         {"runs", 100}}}}};
  return json.dump();
}

std::vector<HistorySeries> HistoryOf(const std::vector<Result>& all, int since_day = 1, bool accept_noisy = false) {
  std::vector<std::string> texts;
  for (const Result& result : all) texts.push_back(TextOf(result));
  std::vector<DatedResult> results;
  for (size_t i = 0; i < texts.size(); ++i) results.push_back({fmt::format("{}.json", i), texts[i]});
  constexpr int64_t kNewYearMs = 1'767'225'600'000;  // 2026-01-01
  return BenchHistory(results, kNewYearMs + (since_day - 1) * kDayMs, accept_noisy);
}

// Results that are 5 % slower from the day on, with another hone and package. They are in descending order, because a
// shell may list them in any.
std::vector<Result> SlowerFrom(int day) {
  std::vector<Result> results;
  for (int i = 24; i >= 1; --i) {
    Result result;
    result.day = i;
    result.ns = 1'000'000 + (i * 7919) % 5000;
    if (i >= day) {
      result.ns += 50'000;
      result.hone_version = "0.2.0";
      result.sha = std::string(64, 'b');
    }
    results.push_back(result);
  }
  return results;
}

TEST(BenchHistory, FindsWhatBecameSlowerWhenAndWithWhat) {
  const auto all = HistoryOf(SlowerFrom(15), 15);
  ASSERT_THAT(all, SizeIs(1));
  const HistorySeries& series = all[0];
  ASSERT_THAT(series.points, SizeIs(24));
  ASSERT_THAT(series.changes, SizeIs(1));
  EXPECT_EQ(series.changes[0].at, 14U) << "the 15th, though the files came in another order";
  EXPECT_NEAR(series.changes[0].ratio, 1.05, 0.003);
  EXPECT_THAT(series.changes[0].what, ElementsAre("hone 0.1.0 -> 0.2.0", "package aaaaaaaaaaaa -> bbbbbbbbbbbb"));
  ASSERT_TRUE(series.since.has_value());
  EXPECT_EQ(series.since->finding, Finding::kSlower);
  EXPECT_NEAR(series.since->ratio, 1.05, 0.003);
}

TEST(BenchHistory, KeepsMachinesApartAndRunnersOfOneTogether) {
  Result other, same;
  other.machine = "AuthenticAMD-26-2-1";
  same.host = "renamed";
  EXPECT_THAT(HistoryOf({Result(), other, same}), SizeIs(2));
}

TEST(BenchHistory, LeavesNoisyTimesOutUnlessTheyAreAccepted) {
  std::vector<Result> results = SlowerFrom(15);
  for (Result& result : results) {
    if (result.day >= 15) result.noise = "load 3.1";
  }
  const auto without = HistoryOf(results, 15);
  EXPECT_EQ(without[0].noisy, 10);
  EXPECT_THAT(without[0].changes, SizeIs(0));
  EXPECT_FALSE(without[0].since.has_value());
  EXPECT_THAT(HistoryOf(results, 15, true)[0].changes, SizeIs(1));
}

TEST(BenchHistory, AMachineThatIsNeverQuietStillAnswers) {
  std::vector<Result> results = SlowerFrom(15);
  for (Result& result : results) result.noise = "other programs used 0.70 CPUs";
  results[0].noise = "";
  History history;
  history.series = HistoryOf(results, 15);
  EXPECT_EQ(history.series[0].noisy_counted, 23);
  EXPECT_EQ(history.series[0].since->finding, Finding::kSlower);
  EXPECT_THAT(HistoryText(history), HasSubstr("23 of them noisy; they count"));
}

TEST(BenchHistory, TakesDatesOfAnyZoneAndNothingElse) {
  Result zone;
  zone.date = "2026-01-02T01:30:00+02:00";
  EXPECT_EQ(DayText(HistoryOf({zone})[0].points[0].unix_ms), "2026-01-01");
  for (const char* wrong : {"yesterday", "2026-01-02", "2026-01-02T01:30:00 oclock"}) {
    Result result;
    result.date = wrong;
    try {
      HistoryOf({result});
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("0.json"), HasSubstr(wrong)));
    }
  }
}

TEST(BenchHistory, IsToldInEachFormWithTheSameNumbers) {
  History history;
  history.since_ms = 1'767'225'600'000;
  history.series = HistoryOf(SlowerFrom(15), 15);
  ASSERT_THAT(history.series, SizeIs(1));
  ASSERT_THAT(history.series[0].changes, SizeIs(1));
  EXPECT_THAT(HistoryText(history),
              AllOf(HasSubstr("24 results, 2026-01-01 .. 2026-01-24"), HasSubstr("%, p 0.000): slower\n"),
                    HasSubstr("from 2026-01-15 on"), HasSubstr("hone 0.1.0 -> 0.2.0")));
  const Json json = ToJson(history);
  EXPECT_EQ(json["format"], "hone-history");
  EXPECT_EQ(json["version"], kHistoryVersion);
  EXPECT_EQ(json["series"][0]["changes"][0]["at"], 14);
  EXPECT_EQ(json["series"][0]["points"][14]["hone_version"], "0.2.0");
  EXPECT_EQ(json["series"][0]["since"]["verdict"], "slower");
  history.series[0].model = "<script>x</script>";
  EXPECT_THAT(HistoryPage(history, "a < b"),
              AllOf(HasSubstr("Times of &lt;script&gt;"), HasSubstr("a &lt; b"), Not(HasSubstr("<script>x")),
                    HasSubstr("2026-01-15: 5."), HasSubstr("24 results")));
}

TEST(RecordChanges, HoldTheBestBeforeAgainstTheBestSince) {
  const TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  const auto timed = [](int64_t ns, int64_t unix_ms, const std::string& version) {
    Record record = SampleRecord(1);
    record.measurement.samples_ns.clear();
    for (int64_t i = 0; i < 9; ++i) record.measurement.samples_ns.push_back(ns + i);
    record.measurement.batch.assign(9, 1);
    record.unix_ms = unix_ms;
    record.hone_version = version;
    return Finish(record);
  };
  store->Append({timed(1000, 5, "0.1.0"), timed(1500, 6, "0.1.0"), timed(1300, 20, "0.2.0"), timed(9000, 21, "0.2.0")});
  const std::string workload = SampleRecord(1).candidate.workload.ToText();
  const auto diffs = RecordChangesSince(*store, {}, {workload}, 10);
  ASSERT_THAT(diffs, SizeIs(1));
  EXPECT_EQ(diffs[0].change, RecordChange::kSlower);
  EXPECT_EQ(diffs[0].before_ns, 1000);
  EXPECT_EQ(diffs[0].after_ns, 1300);
  EXPECT_THAT(diffs[0].what, ElementsAre("hone 0.1.0 -> 0.2.0"));
  EXPECT_EQ(RecordChangesSince(*store, {}, {workload}, 1)[0].change, RecordChange::kNew);
  EXPECT_THAT(RecordChangesSince(*store, {}, {}, 10), SizeIs(0));
  History history;
  history.diffs = diffs;
  EXPECT_THAT(HistoryPage(history, "x"), AllOf(HasSubstr("30.0 % slower"), Not(HasSubstr("data-chart="))))
      << "one change is no chart";
}

}  // namespace
}  // namespace hone
