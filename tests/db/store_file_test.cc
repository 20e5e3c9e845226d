// The file of a store, and its location.
#include "db/sqlite/store_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

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

TEST(StoreFile, IsSharedByAGroupAsTheUmaskSays) {
  const TempFolder folder;
  const mode_t mask = umask(002);
  RecordStore::Open(folder.File("s.db"))->Append(SampleRecords(1));
  umask(077);
  const auto store = RecordStore::Open(folder.File("s.db"));
  store->Append(SampleRecords(2));
  ASSERT_TRUE(store->claims().Take("a"));
  umask(mask);
  for (const auto& entry : std::filesystem::directory_iterator(folder.File(""))) {
    EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0664)) << entry.path();
  }
}

TEST(StoreFile, OfALinkSharesItsClaims) {
  const TempFolder folder;
  RecordStore::Open(folder.File("s.db"));
  std::filesystem::create_symlink("s.db", folder.File("link.db"));
  const auto here = RecordStore::Open(folder.File("s.db")), there = RecordStore::Open(folder.File("link.db"));
  EXPECT_TRUE(here->claims().Take("a"));
  EXPECT_FALSE(there->claims().Take("a"));
  EXPECT_FALSE(std::filesystem::exists(folder.File("link.db.claims")));
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

TEST(StoreFile, OnANetworkFileSystemIsRefusedUnlessForced) {
  const TempFolder folder;
  const std::string path = folder.File("not/there/yet.db");
  unsetenv("HONE_NETWORK_STORE");
  std::string asked;
  const auto nfs = [&asked](const std::string& at) {
    asked = at;
    return int64_t{0x6969};
  };
  try {
    RefuseNetworkFileSystem(path, nfs);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadConfig);
    EXPECT_NE(std::string(error.what()).find("NFS"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("HONE_NETWORK_STORE"), std::string::npos) << error.what();
  }
  EXPECT_EQ(asked + "/not/there/yet.db", path) << "what is not there is asked of the folder above";
  setenv("HONE_NETWORK_STORE", "1", 1);
  RefuseNetworkFileSystem(path, nfs);
  unsetenv("HONE_NETWORK_STORE");
}

TEST(StoreFile, LocalFileSystemsAreTaken) {
  for (const int64_t type : {0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L, 0x794C7630L, 0x65735546L, 0L}) {
    EXPECT_EQ(NetworkFileSystemName(type), nullptr) << type;
    RefuseNetworkFileSystem("x.db", [type](const std::string&) { return type; });
  }
  for (const int64_t type : {0x6969L, 0xFF534D42L, 0xFE534D42L, 0x517BL, 0x01021997L, 0x00C36400L, 0x0BD00BD0L}) {
    EXPECT_NE(NetworkFileSystemName(type), nullptr) << type;
  }
  EXPECT_NE(StatfsType("/proc"), 0);
  EXPECT_EQ(StatfsType("/nowhere at all"), 0);
}

}  // namespace
}  // namespace hone
