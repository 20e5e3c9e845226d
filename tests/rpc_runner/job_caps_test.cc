#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "rpc_runner/executor/job_limits.h"

namespace hone {
namespace {

constexpr int64_t kNoBound = std::numeric_limits<int64_t>::max();

class CgroupMemory : public testing::Test {
 protected:
  CgroupMemory() { std::filesystem::remove_all(root_); }
  ~CgroupMemory() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("hone_cgroup_memory_" + std::to_string(getpid()));
};

TEST_F(CgroupMemory, NoGroupIsNoBound) {
  EXPECT_EQ(CgroupMemoryBytes("", root_), kNoBound);
  EXPECT_EQ(CgroupMemoryBytes("0::/a\n", root_), kNoBound);
  Write("a/memory.max", "max\n");
  EXPECT_EQ(CgroupMemoryBytes("0::/a\n", root_), kNoBound);
}

TEST_F(CgroupMemory, TheTightestGroupUpwardsCounts) {
  Write("memory.max", "900\n");
  Write("a/memory.max", "500\n");
  Write("a/b/memory.max", "700\n");
  EXPECT_EQ(CgroupMemoryBytes("0::/a/b\n", root_), 500);
  EXPECT_EQ(CgroupMemoryBytes("0::/\n", root_), 900);
}

TEST_F(CgroupMemory, ReadsVersionOne) {
  Write("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(CgroupMemoryBytes("5:memory:/job\n4:cpu,cpuacct:/other\n", root_), kNoBound);
  Write("memory/memory.limit_in_bytes", "800\n");
  EXPECT_EQ(CgroupMemoryBytes("5:memory:/job\n", root_), 800);
  Write("memory/job/memory.limit_in_bytes", "600\n");
  EXPECT_EQ(CgroupMemoryBytes("5:memory:/job\n", root_), 600);
}

}  // namespace
}  // namespace hone
