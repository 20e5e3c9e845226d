#include "runtime/threads/allowed_cores.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/session.h"

namespace hone {
namespace {

class CgroupTest : public ::testing::Test {
 protected:
  CgroupTest() : root_(std::filesystem::path(::testing::TempDir()) / ("hone_cgroup_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root_);
  }
  ~CgroupTest() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::filesystem::path root_;
};

TEST_F(CgroupTest, NoGroupIsNoQuota) { EXPECT_EQ(CgroupQuotaCores("0::/\n", root_), 0); }

TEST_F(CgroupTest, UnlimitedIsNoQuota) {
  Write("a/cpu.max", "max 100000\n");
  EXPECT_EQ(CgroupQuotaCores("0::/a\n", root_), 0);
}

TEST_F(CgroupTest, TheTightestGroupUpwardsCounts) {
  Write("a/cpu.max", "150000 100000\n");
  Write("a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(CgroupQuotaCores("0::/a/b\n", root_), 1.5);
}

TEST_F(CgroupTest, ReadsVersionOne) {
  Write("cpu/job/cpu.cfs_quota_us", "200000\n");
  Write("cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CgroupQuotaCores("5:memory:/x\n4:cpu,cpuacct:/job\n", root_), 2);
  Write("cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(CgroupQuotaCores("4:cpu,cpuacct:/job\n", root_), 0);
}

TEST_F(CgroupTest, OddTextIsNoQuota) { EXPECT_EQ(CgroupQuotaCores("nonsense\n:\n::\n", root_), 0); }

TEST(AllowedCores, IsAtLeastOneAndAtMostTheAffinity) {
  EXPECT_GE(AllowedCores(), 1);
  ASSERT_FALSE(AffinityCpus().empty());
  EXPECT_LE(AllowedCores(), static_cast<int>(AffinityCpus().size()));
}

}  // namespace
}  // namespace hone
