// Claims have one holder at a time, and are free when released or when their holder is gone.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "db/sqlite/file_claims.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class ClaimsTest : public ::testing::Test {
 protected:
  ClaimsTest() {
    std::string name = (fs::temp_directory_path() / "hone_claims_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ClaimsTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string store() const { return (folder_ / "records.db").string(); }

  fs::path folder_;
};

TEST_F(ClaimsTest, OneHoldsWhatTheOtherThenCannotTake) {
  FileClaims here(store()), there(store());
  EXPECT_TRUE(here.Take("a"));
  EXPECT_FALSE(there.Take("a"));
  EXPECT_TRUE(there.Take("b"));
  EXPECT_FALSE(here.Take("b"));
  EXPECT_TRUE(here.Take("a")) << "it holds this one itself";
}

TEST_F(ClaimsTest, ReleasedOnesAreFree) {
  FileClaims here(store()), there(store());
  here.Release("never held");
  ASSERT_TRUE(here.Take("a"));
  ASSERT_TRUE(here.Take("b"));
  here.Release("a");
  EXPECT_TRUE(there.Take("a"));
  EXPECT_FALSE(there.Take("b"));
}

TEST_F(ClaimsTest, AreGoneWithTheirHolder) {
  std::optional<FileClaims> gone(std::in_place, store());
  FileClaims there(store());
  ASSERT_TRUE(gone->Take("a"));
  ASSERT_FALSE(there.Take("a"));
  gone.reset();
  EXPECT_TRUE(there.Take("a"));
}

TEST_F(ClaimsTest, WriteNothing) {
  FileClaims here(store());
  EXPECT_TRUE(fs::is_empty(folder_)) << "nobody has claimed anything";
  ASSERT_TRUE(here.Take("a"));
  EXPECT_EQ(fs::file_size(store() + ".claims"), 0U);
}

TEST_F(ClaimsTest, HaveThePermissionsOfTheStore) {
  std::ofstream(store()) << "a store";
  fs::permissions(store(), fs::perms(0664));
  const mode_t mask = umask(077);
  FileClaims here(store());
  ASSERT_TRUE(here.Take("a"));
  umask(mask);
  EXPECT_EQ(fs::status(store() + ".claims").permissions(), fs::perms(0664));
}

TEST_F(ClaimsTest, AreGrantedWhereThereIsNoPlaceForThem) {
  FileClaims nowhere((folder_ / "no folder" / "records.db").string());
  EXPECT_TRUE(nowhere.Take("a"));
  nowhere.Release("a");
  // A symbolic link is not followed: it may point at somebody else's file.
  fs::create_symlink(folder_ / "elsewhere", store() + ".claims");
  FileClaims linked(store());
  EXPECT_TRUE(linked.Take("a"));
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace hone
