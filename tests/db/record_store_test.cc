#include "db/record_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "db/record_log.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

class RecordStoreTest : public testing::Test {
 protected:
  std::unique_ptr<RecordStore> Open(bool create = true) { return place_.Open(create); }
  StorePlace place_;
};

TEST_F(RecordStoreTest, KeepsWhatItWasGiven) {
  const std::vector<Record> records = SampleRecords(5);
  EXPECT_EQ(Open()->Append(records), 5);
  EXPECT_EQ(Open(false)->Find({}), records);
  EXPECT_EQ(Open()->Get(records[2].id), records[2]);
  EXPECT_FALSE(Open()->Get("0000000000000000"));
}

TEST_F(RecordStoreTest, AppendingTwiceChangesNothing) {
  const auto store = Open();
  EXPECT_EQ(store->Append(SampleRecords(5)), 5);
  EXPECT_EQ(store->Append(SampleRecords(7)), 2);
  EXPECT_EQ(store->Append({SampleRecord(9), SampleRecord(9)}), 1);
  EXPECT_EQ(store->Append({}), 0);
  EXPECT_EQ(store->Stats().records, 8);
}

TEST_F(RecordStoreTest, GivesTheTextsThatItHolds) {
  const std::vector<Record> records = SampleRecords(5);
  const auto store = Open();
  store->Append(records);
  std::vector<std::string> texts;
  store->EachText({.limit = 4}, [&](const std::string& json) { texts.push_back(json); });
  ASSERT_EQ(texts.size(), 4U);
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], DumpJson(ToJson(records[i])));
}

TEST_F(RecordStoreTest, AppendsMoreThanOneBatch) {
  const std::vector<Record> records = SampleRecords(5000);
  EXPECT_EQ(Open()->Append(records), 5000);
  EXPECT_EQ(Open()->Find({}), records);
}

TEST_F(RecordStoreTest, FinishesRecordsAndRefusesChangedOnes) {
  Record record = SampleRecord(1);
  const std::string id = std::exchange(record.id, "");
  EXPECT_EQ(Open()->Append({record}), 1);
  EXPECT_TRUE(Open()->Get(id));
  Record changed = SampleRecord(2);
  changed.threads = 7;
  EXPECT_THROW(Open()->Append({changed}), Error);
}

TEST_F(RecordStoreTest, FindsByEveryKey) {
  Record other = SampleRecord(50);
  other.candidate.workload = Workload::Parse("nn.dense data=2x8 weight=4x8");
  other.candidate.target.cpu = "znver5";
  other.threads = 4;
  other.timing.cache = CacheMode::kWarm;
  other.measurement.fate = Fate::kTimedOut;
  other.measurement.environment.cpu_model = "Cortex-A72";
  other.measurement.environment.host = "raspi";
  other.measurement.environment.cpu_id = "0x41-8-0xd08-3";
  other.measurement.environment.key = "boards";
  other.measurement.environment.label = "On the window sill";
  other.session = "s2";
  other = Finish(other);
  const auto store = Open();
  store->Append(SampleRecords(3));
  store->Append({other});
  std::vector<RecordQuery> queries(11);
  queries[0].workload = other.candidate.workload.ToText();
  queries[1].cpu = "znver5";
  queries[2].device = "cortex";
  queries[3].device = "RASPI";
  queries[4].fate = Fate::kTimedOut;
  queries[5].cache = CacheMode::kWarm;
  queries[6].threads = 4;
  queries[7].session = "s2";
  queries[8].device = "Boards";
  queries[9].device = "window";
  queries[10].device = FingerprintOf(other.measurement.environment).ShortId();
  for (size_t i = 0; i < queries.size(); ++i) {
    EXPECT_EQ(store->Find(queries[i]), std::vector<Record>{other}) << i;
    queries[i].workload = "none such";
    EXPECT_TRUE(store->Find(queries[i]).empty()) << i;
  }
}

TEST_F(RecordStoreTest, FindsByTheFirstDigitsOfTheId) {
  const std::vector<Record> records = SampleRecords(40);
  const auto store = Open();
  store->Append(records);
  RecordQuery query;
  for (size_t digits : {1, 4, 16}) {
    query.id = records[7].id.substr(0, digits);
    const auto fits = [&](const Record& record) { return record.id.starts_with(query.id); };
    EXPECT_EQ(static_cast<std::ptrdiff_t>(store->Find(query).size()),
              std::count_if(records.begin(), records.end(), fits));
  }
  EXPECT_EQ(store->Find(query).front(), records[7]);
  query.id += "0";
  EXPECT_TRUE(store->Find(query).empty());
}

TEST_F(RecordStoreTest, OrdersByTimeAndLimits) {
  Record untimed = SampleRecord(0);
  untimed.measurement.samples_ns = {};
  untimed.measurement.batch = {};
  const auto store = Open();
  store->Append({SampleRecord(9), SampleRecord(2), Finish(untimed), SampleRecord(5)});
  EXPECT_EQ(store->Find({.limit = 2}), (std::vector<Record>{SampleRecord(9), SampleRecord(2)}));
  EXPECT_EQ(store->Find({.by_time = true}), (std::vector<Record>{SampleRecord(2), SampleRecord(5), SampleRecord(9)}));
}

TEST_F(RecordStoreTest, QueryTextIsNeverSql) {
  const auto store = Open();
  store->Append(SampleRecords(2));
  EXPECT_TRUE(store->Find({.workload = "' OR 1=1 --"}).empty());
  EXPECT_TRUE(store->Find({.device = "%"}).empty());
}

TEST_F(RecordStoreTest, KeepsRuns) {
  const auto store = Open();
  store->PutRun({"a", "running", "{}"});
  store->PutRun({"b", "running", "{\"x\":1}"});
  store->PutRun({"a", "done", "{}"});
  ASSERT_TRUE(store->GetRun("a"));
  EXPECT_EQ(store->GetRun("a")->state, "done");
  EXPECT_FALSE(store->GetRun("c"));
  ASSERT_EQ(store->Runs().size(), 2U);
  EXPECT_EQ(store->Runs()[1].json, "{\"x\":1}");
}

TEST_F(RecordStoreTest, TellsItsStats) {
  const auto store = Open();
  std::vector<Record> records = SampleRecords(4);
  records[3].measurement.environment.cpu_id = "AuthenticAMD-26-2-1";
  records[3] = Finish(records[3]);
  store->Append(records);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.records, 4);
  EXPECT_EQ(stats.ok, 4);
  EXPECT_EQ(stats.workloads, 1);
  EXPECT_EQ(stats.devices, 2);
  EXPECT_EQ(stats.engine.schema_version, 6);
  EXPECT_GT(stats.engine.size_bytes, 4096);
  EXPECT_FALSE(stats.engine.version.empty());
  EXPECT_EQ(stats.engine.name, StorePlace::Engine());
  EXPECT_FALSE(stats.engine.journal.empty());
}

TEST_F(RecordStoreTest, BestGivesRecordsInRankOrder) {
  std::vector<Record> records = SampleRecords(3);
  records[0].threads = 8;
  records[1].measurement.noisy = true;
  for (Record& record : records) record = Finish(record);
  const auto store = Open();
  store->Append(records);
  const Fingerprint machine = FingerprintOf(records[0].measurement.environment);
  const auto best = store->Best(kSampleWorkload, records[0].candidate.target, machine, 1);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].record, records[2]);
  EXPECT_EQ(best[0].rank, 0);
  EXPECT_EQ(best[1].record, records[0]);
  EXPECT_EQ(best[1].rank, 1);
  EXPECT_EQ(store->Best(kSampleWorkload, records[0].candidate.target, machine, 1, 1).size(), 1U);
  EXPECT_TRUE(store->Best("other", records[0].candidate.target, machine, 1).empty());
}

TEST_F(RecordStoreTest, AbsentStoreIsNoInput) {
  try {
    Open(false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoInput);
  }
}

}  // namespace
}  // namespace hone
