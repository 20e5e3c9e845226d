#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "db/care/store_care.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

ForeignTrial Foreign(int number) {
  ForeignTrial trial;
  trial.line = "line " + std::to_string(number);
  trial.id = std::to_string(number);
  trial.workload = "w";
  trial.fate = Fate::kCrashed;
  return trial;
}

// The content of everything that a store syncs.
std::set<std::string> RowsOf(const RecordStore& store) {
  std::set<std::string> rows;
  for (const Record& record : store.Find({})) rows.insert(record.id + " " + record.candidate.config.ToText());
  for (const ForeignTrial& trial : store.FindForeign("")) rows.insert(trial.id + " " + trial.line);
  return rows;
}

// One store is of this program's engine, the others are files.
class SyncStoresTest : public testing::Test {
 protected:
  std::unique_ptr<RecordStore> Another() { return RecordStore::Open(folder_.File(std::to_string(++files_) + ".db")); }

  StorePlace place_;
  TempFolder folder_;
  int files_ = 0;
};

TEST_F(SyncStoresTest, EachGetsWhatItLacks) {
  const auto a = place_.Open(), b = Another();
  a->Append(SampleRecords(700));
  b->Append({SampleRecord(699), SampleRecord(700)});
  b->AppendForeign({Foreign(1)});
  const SyncCounts counts = SyncStores(*a, *b);
  EXPECT_EQ(counts.to_b.records, 699);
  EXPECT_EQ(counts.to_a.records, 1);
  EXPECT_EQ(counts.to_a.foreign, 1);
  EXPECT_EQ(counts.to_b.foreign, 0);
  EXPECT_EQ(RowsOf(*a), RowsOf(*b));
  EXPECT_EQ(RowsOf(*a).size(), 702U);
  const SyncCounts again = SyncStores(*b, *a);
  EXPECT_EQ(again.to_a.records + again.to_b.records + again.to_a.foreign + again.to_b.foreign, 0);
}

TEST_F(SyncStoresTest, EmptyStoresStayEmpty) {
  const auto a = place_.Open(), b = Another();
  EXPECT_EQ(SyncStores(*a, *b).to_b.records, 0);
  EXPECT_TRUE(RowsOf(*a).empty());
}

// Any number of stores may sync in any order: once news from each has reached all, all hold the same rows.
TEST_F(SyncStoresTest, EveryOrderGivesTheSameRows) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    const StorePlace place;
    std::vector<std::unique_ptr<RecordStore>> stores;
    stores.push_back(place.Open());
    while (stores.size() < 2 + seed % 4) stores.push_back(Another());
    std::set<std::string> all;
    for (const auto& store : stores) {
      for (int i = 0; i < 20; ++i) store->Append({SampleRecord(static_cast<int>(random() % 60))});
      store->AppendForeign({Foreign(static_cast<int>(random() % 9)), Foreign(static_cast<int>(random() % 9))});
      all.merge(RowsOf(*store));
    }
    // Each store syncs with one that has heard of all before it; a second round in reverse reaches the others.
    std::shuffle(stores.begin(), stores.end(), random);
    for (size_t round = 0; round < 2; ++round) {
      for (size_t i = 1; i < stores.size(); ++i) {
        const bool swapped = random() % 2 == 0;
        SyncStores(*stores[swapped ? i - 1 : i], *stores[swapped ? i : i - 1]);
      }
      if (round == 0) std::reverse(stores.begin(), stores.end());
    }
    for (const auto& store : stores) EXPECT_EQ(RowsOf(*store), all) << seed;
  }
}

}  // namespace
}  // namespace hone
