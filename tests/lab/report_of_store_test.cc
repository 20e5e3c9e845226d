// The parts of a report that come from a record store: models of tuning runs, and how their best times fell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/models_of_runs.h"
#include "lab/report/charts.h"
#include "lab/report/conclusion.h"
#include "lab/report/report_page.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::HasSubstr;

std::string TitleOf(const std::string& page) {
  const size_t begin = page.find("<title>") + 7;
  return page.substr(begin, page.find("</title>") - begin);
}

TEST(ModelsOfRuns, HaveTheTasksOfTheNewestRunForTheCode) {
  TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  const Record record = SampleRecord(1);
  const auto run = [&](const char* id, int uses) {
    Json asked = {{"model", "net"}, {"target", record.candidate.target.ToText()}, {"threads", record.threads}};
    asked["tasks"] = Json::array({{{"workload", kSampleWorkload}, {"uses", uses}}});
    store->PutRun({id, "done", DumpJson(asked)});
  };
  run("old", 7);
  run("new", 3);
  store->PutRun({"other", "done", "{}"});
  store->Append({record});
  const std::vector<ModelToCompare> models = ModelsOfRuns(*store);
  ASSERT_EQ(models.size(), 1U);
  const Comparison c = CompareModels(*store, models, {}).comparison;
  ASSERT_EQ(c.devices.size(), 1U);
  EXPECT_EQ(c.At(0, 0).time.ns, 3 * 1001);
  EXPECT_EQ(c.At(0, 0).layers[0].bytes, 4 * (8 + 32 + 4));
  EXPECT_EQ(TitleOf(ReportPage({c, {}, {}}, nullptr)), "net on 1 device");
}

TEST(ModelsOfRuns, PriceEachBatchByItsImages) {
  TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  const Record record = SampleRecord(1);
  for (const int images : {1, 8}) {
    const Json task = {{"workload", kSampleWorkload}, {"node", "/fc1/Gemm"}, {"uses", 1}};
    store->PutRun({std::to_string(images), "done",
                   DumpJson({{"model", "net"},
                             {"target", record.candidate.target.ToText()},
                             {"threads", record.threads},
                             {"images", images},
                             {"tasks", Json::array({task})}})});
  }
  store->Append({record});
  const std::vector<ModelToCompare> models = ModelsOfRuns(*store);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].name, "net, batch 8");
  EXPECT_EQ(models[1].name, "net");
  ComparisonReport report = CompareModels(*store, models, {});
  report.comparison.devices.at(0).price_per_hour = 3.6e6;
  EXPECT_DOUBLE_EQ(PriceOfMillion(report.comparison, 0, 1), 8 * PriceOfMillion(report.comparison, 0, 0));
  EXPECT_THAT(ConclusionOf(report, 0, {0}).cheapest.details, HasSubstr("per hour and batch 8"));
  EXPECT_THAT(ReportPage(report, nullptr), HasSubstr("/fc1/Gemm"));
}

TEST(TuningHistory, KeepsWhereTheBestChanged) {
  TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  std::vector<Record> records;
  const std::vector<int64_t> times = {900, 950, 700, 0, 600};
  for (size_t i = 0; i < times.size(); ++i) {
    Record record = SampleRecord(static_cast<int>(i));
    record.unix_ms = 1000 + 10 * static_cast<int64_t>(i);
    record.measurement.samples_ns = {times[i]};
    if (times[i] == 0) {
      record.measurement.fate = Fate::kCrashed;
      record.measurement.samples_ns.clear();
      record.measurement.batch.clear();
    }
    record.id.clear();
    records.push_back(Finish(record));
  }
  store->Append(records);
  const StoreHistory history = HistoryOf(*store, {});
  ASSERT_EQ(history.tasks.size(), 1U);
  const TaskHistory& task = history.tasks[0];
  EXPECT_EQ(task.trials, 5);
  ASSERT_EQ(task.steps.size(), 3U);
  EXPECT_EQ(task.steps[1].trial, 3);
  EXPECT_EQ(task.steps[1].since_ms, 20);
  EXPECT_EQ(task.best_ns, 600);
  EXPECT_EQ(history.fates.begin()->second.at(Fate::kCrashed), 1);
  EXPECT_TRUE(HistoryOf(*store, {"another"}).tasks.empty());
}

}  // namespace
}  // namespace hone
