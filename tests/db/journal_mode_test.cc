#include <gtest/gtest.h>

#include "db/sqlite/store_file.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

TEST(JournalMode, IsWalOnlyWhereWalIsSafe) {
  for (int affected : {3'007'000, 3'040'001, 3'044'005, 3'045'000, 3'050'006, 3'051'000, 3'051'002, 3'052'000}) {
    EXPECT_EQ(JournalModeFor(affected), JournalMode::kPersist) << affected;
  }
  for (int mended : {3'044'006, 3'050'007, 3'051'003, 3'052'001, 3'053'002}) {
    EXPECT_EQ(JournalModeFor(mended), JournalMode::kWal) << mended;
  }
}

TEST(JournalMode, BothModesKeepAStore) {
  for (JournalMode mode : {JournalMode::kPersist, JournalMode::kWal}) {
    TempFolder folder;
    Database database = OpenStoreFile(folder.File("r.db"), true, mode);
    EXPECT_EQ(database.Text("PRAGMA journal_mode"), mode == JournalMode::kWal ? "wal" : "persist");
    EXPECT_EQ(database.Integer("PRAGMA synchronous"), 2);
    EXPECT_EQ(database.Text("PRAGMA integrity_check"), "ok");
  }
}

// Only the journal's header is zeroed, so no reader takes it for one to roll back. After a large transaction it is
// truncated.
TEST(JournalMode, AKeptJournalIsShortAndZeroed) {
  TempFolder folder;
  const std::string path = folder.File("r.db"), journal = path + "-journal";
  {
    Database database = OpenStoreFile(path, true, JournalMode::kPersist);
    database.Execute("INSERT INTO runs VALUES('a', 's', hex(zeroblob(8000000)))");
    database.Execute("UPDATE runs SET json = hex(randomblob(8000000))");
  }
  const std::string left = ReadBytes(journal);
  EXPECT_EQ(left.size(), 4U << 20);
  EXPECT_EQ(left.substr(0, 28), std::string(28, '\0'));
  EXPECT_EQ(OpenStoreFile(path, false).Text("PRAGMA integrity_check"), "ok");
}

TEST(JournalMode, AStoreOfTheOtherModeIsConverted) {
  TempFolder folder;
  {
    OpenStoreFile(folder.File("r.db"), true, JournalMode::kWal);
  }
  Database database = OpenStoreFile(folder.File("r.db"), false, JournalMode::kPersist);
  EXPECT_EQ(database.Text("PRAGMA journal_mode"), "persist");
}

}  // namespace
}  // namespace hone
