#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

TEST(RateLimiter, CountsWhatItLeavesOut) {
  RateLimiter limit(2, 100);
  int64_t dropped = -1;
  EXPECT_TRUE(limit.Allows(5, &dropped));
  EXPECT_EQ(dropped, 0);
  EXPECT_TRUE(limit.Allows(104, &dropped));
  EXPECT_FALSE(limit.Allows(104, &dropped));
  EXPECT_FALSE(limit.Allows(104, &dropped));
  EXPECT_TRUE(limit.Allows(105, &dropped));
  EXPECT_EQ(dropped, 2);
  EXPECT_TRUE(limit.Allows(106, &dropped));
  EXPECT_EQ(dropped, 0) << "told once";
}

// Writes the errors of a test with 100,000 odd frames, with stderr redirected to a file.
TEST(LogError, FillsNoDisk) {
  char path[] = "/tmp/hone_error_log_XXXXXX";
  const int file = mkstemp(path), stderr_before = dup(STDERR_FILENO);
  ASSERT_GE(file, 0);
  dup2(file, STDERR_FILENO);
  for (int i = 0; i < 100'000; ++i) LogError("hone-runner", std::to_string(i) + std::string(5000, 'x'));
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  close(file);
  std::ifstream in(path, std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  unlink(path);
  EXPECT_GT(written.size(), 2000U);
  EXPECT_LT(written.size(), 100'000U);
}

}  // namespace
}  // namespace hone
