#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "db/record_store.h"
#include "db/schema.h"
#include "db/sqlite.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

class DamagedStore : public testing::Test {
 protected:
  void SetUp() override {
    RecordStore::Open(path_)->Append(records_);
    whole_ = ReadBytes(path_);
  }

  // Opens the bytes and reads everything. A refusal must leave the file as it was; what is read must be what was
  // written. Returns whether all was read.
  bool ReadAll(const std::string& bytes) {
    WriteBytes(path_, bytes);
    try {
      const std::vector<Record> found = RecordStore::Open(path_)->Find({});
      for (const Record& record : found) EXPECT_EQ(Finish(record).id, record.id);
      return found == records_;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
      EXPECT_EQ(ReadBytes(path_), bytes) << "a refused file is left as it was";
      EXPECT_EQ(ReadBytes(path_ + "-journal"), "");
      return false;
    }
  }

  void ExpectRefused(const std::string& reason) {
    const std::string before = ReadBytes(path_);
    try {
      RecordStore::Open(path_);
      FAIL() << "not refused: " << reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(ReadBytes(path_), before);
  }

  TempFolder folder_;
  std::string path_ = folder_.File("r.db");
  std::vector<Record> records_ = SampleRecords(4);
  std::string whole_;
};

TEST_F(DamagedStore, WholeFileIsRead) { EXPECT_TRUE(ReadAll(whole_)); }

TEST_F(DamagedStore, TruncatedFilesAreRefused) {
  for (size_t size : {size_t{1}, size_t{15}, size_t{16}, size_t{99}, size_t{100}, size_t{512}, size_t{4095},
                      size_t{4096}, whole_.size() / 2, whole_.size() - 4096, whole_.size() - 1}) {
    EXPECT_FALSE(ReadAll(whole_.substr(0, size))) << size;
  }
}

TEST_F(DamagedStore, EmptyFileIsMadeAStoreOnlyWhenCreating) {
  WriteBytes(path_, "");
  EXPECT_THROW(RecordStore::Open(path_, false), Error);
  EXPECT_EQ(ReadBytes(path_), "");
  EXPECT_EQ(RecordStore::Open(path_)->Append(records_), 4);
}

TEST_F(DamagedStore, OtherFilesAreRefused) {
  for (const std::string& bytes : {std::string("hello, world\n"), std::string(10000, '\0'), std::string(5000, 'x'),
                                   std::string("SQLite format 3\0", 16)}) {
    EXPECT_FALSE(ReadAll(bytes));
  }
}

TEST_F(DamagedStore, FlippedBytesNeverGiveAFalseRecord) {
  for (size_t at = 0; at < whole_.size(); at += at < 100 ? 2 : 331) {
    std::string damaged = whole_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    WriteBytes(path_, damaged);
    std::filesystem::remove(path_ + "-journal");
    try {
      for (const Record& record : RecordStore::Open(path_)->Find({})) {
        EXPECT_NE(std::find(records_.begin(), records_.end(), record), records_.end()) << at;
      }
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ExitCode::kBadData || error.code() == ExitCode::kIo) << at << error.what();
    }
  }
}

TEST_F(DamagedStore, ZeroedPagesNeverGiveAFalseRecord) {
  for (size_t at = 0; at + 4096 <= whole_.size(); at += 4096) {
    std::string damaged = whole_;
    damaged.replace(at, 4096, std::string(4096, '\0'));
    ReadAll(damaged);
  }
}

TEST_F(DamagedStore, NewerVersionIsRefused) {
  Database(path_, false).Execute("PRAGMA user_version = 2");
  ExpectRefused("version 2; this hone reads up to 1");
}

TEST_F(DamagedStore, DatabaseOfAnotherProgramIsRefused) {
  Database(path_, false).Execute("PRAGMA application_id = 7");
  ExpectRefused("another program");
  std::filesystem::remove(path_);
  Database(path_, true).Execute("CREATE TABLE t(a)");
  ExpectRefused("another program");
}

TEST_F(DamagedStore, TablesAndTriggersThatHoneDidNotMakeAreRefused) {
  Database(path_, false).Execute("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END");
  ExpectRefused("tables that hone did not make");
}

TEST_F(DamagedStore, UnfinishedUpgradeLeavesNothing) {
  Database database = Database::InMemory();
  {
    Transaction transaction(database);
    UpgradeSchema(database, 0);
  }
  EXPECT_EQ(database.Integer("PRAGMA user_version"), 0);
  EXPECT_TRUE(SchemaTexts(database).empty());
}

}  // namespace
}  // namespace hone
