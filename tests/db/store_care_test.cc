// Checking, copying and recovering stores.
#include "db/care/store_care.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/hash/hash.h"
#include "db/foreign/foreign_lines.h"
#include "db/record_store.h"
#include "db/sqlite/sqlite_connection.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kPage = 4096;

std::string AutoTvmLine(int cost) {
  return fmt::format(
      R"({{"input": ["llvm", "dense_nopack.x86", [["TENSOR", [1, 96], "float32"], ["TENSOR", [48, 96], "float32"], null, "float32"], {{}}], "config": {{"entity": [["tile_y", "sp", [-1, 1]], ["tile_x", "sp", [-1, 8]], ["tile_k", "sp", [-1, 16]]]}}, "result": [[{}e-6], 0, 1.5, 1700000005.0], "version": 0.2}})",
      cost);
}

class StoreCare : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = RecordStore::Open(path_);
    store->Append(records_);
    ForeignLines lines("x.log");
    for (int cost = 1; cost <= 5; ++cost) trials_.push_back(lines.Read(AutoTvmLine(cost)));
    store->AppendForeign(trials_);
    store->PutRun({"run", "done", "{}"});
  }

  // The ids that a recovery of these bytes gives, and expects no others in it. Empty when the recovery fails.
  std::set<std::string> Recover(const std::string& bytes) {
    WriteBytes(damaged_, bytes);
    std::filesystem::remove(recovered_);
    RecoverStore(damaged_, recovered_);
    EXPECT_EQ(ReadBytes(damaged_), bytes) << "the damaged store is left as it was";
    EXPECT_THAT(CheckStore(recovered_).problems, IsEmpty());
    std::set<std::string> ids;
    const auto store = RecordStore::Open(recovered_);
    for (const Record& record : store->Find({})) {
      EXPECT_THAT(records_, Contains(record));
      ids.insert(record.id);
    }
    for (const ForeignTrial& trial : store->FindForeign("")) {
      EXPECT_THAT(trials_, Contains(trial));
      ids.insert(trial.id);
    }
    return ids;
  }

  TempFolder folder_;
  std::string path_ = folder_.File("r.db");
  std::string damaged_ = folder_.File("damaged.db");
  std::string recovered_ = folder_.File("new.db");
  std::vector<Record> records_ = SampleRecords(16);
  std::vector<ForeignTrial> trials_;
};

TEST_F(StoreCare, AWholeStoreHasNoProblems) {
  const StoreCheck check = CheckStore(path_);
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_EQ(check.records, 16);
  EXPECT_EQ(check.foreign, 5);
}

TEST_F(StoreCare, AKeyThatIsNotItsFieldIsAProblem) {
  for (const char* damage :
       {"UPDATE records SET min_ns = 1 WHERE seq = 7", "UPDATE records SET noisy = 1 WHERE seq = 7",
        "UPDATE records SET setup = 99 WHERE seq = 7",
        "UPDATE records SET json = replace(json, '1006', '1005') WHERE seq = 7",
        "UPDATE foreign_trials SET line = '{}' WHERE seq = 2"}) {
    WriteBytes(damaged_, ReadBytes(path_));
    OpenSqlite(damaged_, false).Execute(damage);
    EXPECT_EQ(CheckStore(damaged_).problems.size(), 1U) << damage;
  }
}

// Each page of the store is damaged in turn by flipping one byte of its header (every byte in the soak). All records on
// other pages are recovered, and the check reports each store that cannot be read in full.
TEST_F(StoreCare, EveryPageMayBeDamaged) {
  const std::string whole = ReadBytes(path_);
  const bool soak = std::getenv("HONE_SOAK") != nullptr;
  ASSERT_EQ(whole.size() % kPage, 0U);
  for (size_t page = 0; page < whole.size() / kPage; ++page) {
    std::string zeroed = whole;
    std::fill_n(zeroed.begin() + static_cast<int64_t>(page * kPage), kPage, '\0');
    EXPECT_GE(Recover(zeroed).size(), 21U - 8U) << "page " << page << " zeroed";
    for (size_t at = page * kPage + (soak ? 0 : page * 61 % 128); at < page * kPage + 128; at += soak ? 1 : 128) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
      EXPECT_GE(Recover(flipped).size(), 21U - 8U) << "byte " << at;
    }
  }
}

TEST_F(StoreCare, EveryTruncationKeepsWhatIsThere) {
  const std::string whole = ReadBytes(path_);
  const size_t step = std::getenv("HONE_SOAK") != nullptr ? 512 : 5 * kPage + 100;
  size_t last = 0;
  for (size_t size = 0; size <= whole.size(); size += step) {
    const size_t found = Recover(whole.substr(0, size)).size();
    EXPECT_GE(found, last) << size;
    last = found;
  }
  EXPECT_EQ(Recover(whole).size(), 21U);
}

TEST_F(StoreCare, ADamagedStoreNamesTheWayOut) {
  std::string bytes = ReadBytes(path_);
  std::fill_n(bytes.begin() + kPage, kPage, '\xff');
  WriteBytes(damaged_, bytes);
  EXPECT_FALSE(CheckStore(damaged_).problems.empty());
  try {
    RecordStore::Open(damaged_)->Find({});
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("hone log recover"));
  }
}

TEST_F(StoreCare, RecoveringReplacesNothing) {
  WriteBytes(recovered_, "mine");
  EXPECT_THROW(RecoverStore(path_, recovered_), Error);
  EXPECT_EQ(ReadBytes(recovered_), "mine");
  EXPECT_THROW(RecoverStore(folder_.File("absent.db"), folder_.File("x.db")), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("x.db")));
}

TEST_F(StoreCare, RunsAreRecoveredToo) {
  EXPECT_EQ(RecoverStore(path_, recovered_).runs, 1);
  EXPECT_EQ(RecordStore::Open(recovered_)->GetRun("run")->state, "done");
}

TEST_F(StoreCare, ABackupIsTheStoreAndReplacesNothing) {
  const auto writer = RecordStore::Open(path_);
  EXPECT_GT(BackupStore(path_, recovered_), 0);
  EXPECT_EQ(RecordStore::Open(recovered_)->Find({}), records_);
  EXPECT_EQ(RecordStore::Open(recovered_)->FindForeign(""), trials_);
  EXPECT_THROW(BackupStore(path_, recovered_), Error);
  EXPECT_THROW(BackupStore(path_, folder_.File("no/such/folder.db")), Error);
  EXPECT_FALSE(std::filesystem::exists(recovered_ + ".partial"));
}

}  // namespace
}  // namespace hone
