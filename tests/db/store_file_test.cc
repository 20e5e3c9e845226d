// What concerns the file of a store alone, and where it lies.
#include "db/sqlite/store_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"
#include "db/record_store.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

TEST(StoreFile, FolderInPlaceOfTheFileIsRefused) {
  TempFolder folder;
  EXPECT_THROW(RecordStore::Open(folder.File("."), true), Error);
  WriteBytes(folder.File("file"), "x");
  try {
    RecordStore::Open(folder.File("file/records.db"), true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kCannotCreate);
  }
}

TEST(DefaultStorePath, FollowsTheEnvironment) {
  setenv("HONE_DB", "mine.db", 1);
  EXPECT_EQ(DefaultStorePath(), "mine.db");
  setenv("HONE_DB", "", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(DefaultStorePath(), "/data/hone/records.db");
  setenv("XDG_DATA_HOME", "relative", 1);
  setenv("HOME", "/home/x", 1);
  EXPECT_EQ(DefaultStorePath(), "/home/x/.local/share/hone/records.db");
  unsetenv("XDG_DATA_HOME");
  unsetenv("HOME");
  EXPECT_THROW(DefaultStorePath(), Error);
}

}  // namespace
}  // namespace hone
