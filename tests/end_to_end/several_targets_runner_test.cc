// A package for several targets on a runner, whose machine decides which target's package is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class SeveralTargetsOnARunner : public TrackerChildTest {
 protected:
  static constexpr const char* kModel = "zoo:mlp --image-shape 1,14,14 --no-records --threads 1";

  void SetUp() override {
    TrackerChildTest::SetUp();
    OfferDevice({"--cores", "0", "--label", "left"});
  }
  void Build(const std::string& targets, const std::string& file) const {
    Do("build " + std::string(kModel) + " " + targets + " -o " + file);
  }
  bool SameOutputs(const std::string& one, const std::string& other) const {
    return Shell("diff -r " + one + " " + other).code == 0;
  }
};

TEST_F(SeveralTargetsOnARunner, TheBestThatItsMachineRunsIsSent) {
  Build("--target x86-64-v2 --target host --target cortex-a72", "all.hone");
  Build("--target host", "host.hone");
  Build("--target x86-64-v2", "v2.hone");
  Do("run all.hone --fill random --output there" + There());
  Do("run host.hone --fill random --output host --threads 1");
  Do("run v2.hone --fill random --output v2 --threads 1");
  EXPECT_TRUE(SameOutputs("there", "host"));
  EXPECT_FALSE(SameOutputs("there", "v2")) << "the outputs do not tell which of them ran";
  EXPECT_THAT(Do("verify " + std::string(kModel) + " all.hone" + There()), HasSubstr("the outputs agree"));
}

TEST_F(SeveralTargetsOnARunner, WhatWasJoinedIsTimedThere) {
  Build("--target x86-64-v2", "v2.hone");
  Build("--target cortex-a72", "board.hone");
  Do("package join board.hone v2.hone -o joined.hone");
  const Json document = ParseJson(Do("bench joined.hone --runs 5 --per-op --json" + There()), "the report");
  EXPECT_EQ(document["machine"]["label"], "left");
  const Json& package = document["packages"][0];
  EXPECT_EQ(package["threads"], 1);
  EXPECT_GT(package["min_ns"].get<int64_t>(), 0);
  ASSERT_GE(package["per_op"].size(), 1U);
}

TEST_F(SeveralTargetsOnARunner, NoneOfThemForItsMachineIsRefusedInOneLine) {
  Build("--target cortex-a72 --target rv64gcv", "boards.hone");
  for (const std::string line : {"run boards.hone", "bench boards.hone", "verify zoo:mlp boards.hone"}) {
    const ProgramResult refused = Shell("hone " + line + There());
    EXPECT_EQ(refused.code, 78) << line;
    EXPECT_THAT(refused.err, AllOf(StartsWith("hone: boards.hone"), HasSubstr("left"))) << line;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace hone
