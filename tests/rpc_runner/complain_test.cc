#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

TEST(EventLimit, CountsWhatItLeavesOut) {
  EventLimit limit(2, 100);
  int64_t left_out = -1;
  EXPECT_TRUE(limit.Passes(5, &left_out));
  EXPECT_EQ(left_out, 0);
  EXPECT_TRUE(limit.Passes(104, &left_out));
  EXPECT_FALSE(limit.Passes(104, &left_out));
  EXPECT_FALSE(limit.Passes(104, &left_out));
  EXPECT_TRUE(limit.Passes(105, &left_out));
  EXPECT_EQ(left_out, 2);
  EXPECT_TRUE(limit.Passes(106, &left_out));
  EXPECT_EQ(left_out, 0) << "told once";
}

// Writes the complaints of a test with 100,000 odd frames, with stderr redirected to a file.
TEST(Complain, FillsNoDisk) {
  char path[] = "/tmp/hone_complain_XXXXXX";
  const int file = mkstemp(path), stderr_before = dup(STDERR_FILENO);
  ASSERT_GE(file, 0);
  dup2(file, STDERR_FILENO);
  for (int i = 0; i < 100'000; ++i) Complain("hone-runner", std::to_string(i) + std::string(5000, 'x'));
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
