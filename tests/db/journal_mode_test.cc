#include "db/sqlite/journal_mode.h"

#include <gtest/gtest.h>

#include "db/sqlite/store_file.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

TEST(JournalMode, IsWalOnlyWhereWalIsSafe) {
  for (int affected : {3'007'000, 3'040'001, 3'044'005, 3'045'000, 3'050'006, 3'051'000, 3'051'002, 3'052'000}) {
    EXPECT_EQ(JournalModeFor(affected), JournalMode::kTruncate) << affected;
  }
  for (int mended : {3'044'006, 3'050'007, 3'051'003, 3'052'001, 3'053'002}) {
    EXPECT_EQ(JournalModeFor(mended), JournalMode::kWal) << mended;
  }
}

TEST(JournalMode, BothModesKeepAStore) {
  for (JournalMode mode : {JournalMode::kTruncate, JournalMode::kWal}) {
    TempFolder folder;
    Database database = OpenStoreFile(folder.File("r.db"), true, mode);
    EXPECT_EQ(database.Text("PRAGMA journal_mode"), mode == JournalMode::kWal ? "wal" : "truncate");
    EXPECT_EQ(database.Integer("PRAGMA synchronous"), 2);
    EXPECT_EQ(database.Text("PRAGMA integrity_check"), "ok");
  }
}

TEST(JournalMode, AStoreOfTheOtherModeIsConverted) {
  TempFolder folder;
  {
    OpenStoreFile(folder.File("r.db"), true, JournalMode::kWal);
  }
  Database database = OpenStoreFile(folder.File("r.db"), false, JournalMode::kTruncate);
  EXPECT_EQ(database.Text("PRAGMA journal_mode"), "truncate");
}

}  // namespace
}  // namespace hone
