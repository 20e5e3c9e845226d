// Programs that may replace a runner, their trials, and the files left afterwards. /bin/true passes every trial,
// /bin/false none.
#include "rpc_runner/device/upgrade/program_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

using testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ProgramUpgradeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "upgrade.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    running_ = ThisProgram();
    running_.path = folder_ + "/runner";
    running_.version = "0.2.0";
    std::ofstream(running_.path, std::ios::binary) << "the running one";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Sign(const std::string& file, const std::string& comment = "hone-runner 0.2.0") const {
    return SignBytes(file, key_, comment);
  }
  std::unique_ptr<ProgramUpgrade> Begin(const std::string& file, const std::string& signature) {
    return std::make_unique<ProgramUpgrade>(running_, UpgradeOptions{key_.public_key, {"--key", "k"}}, file, signature);
  }
  // Expects a refusal with this code and message, and none of the new program's files.
  void ExpectRefused(const std::string& file, const std::string& signature, ExitCode code, const std::string& why) {
    try {
      Begin(file, signature);
      ADD_FAILURE() << "taken, not refused: " << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
    EXPECT_EQ(Files(), (std::vector<std::string>{"runner"}));
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static void WaitFor(ProgramUpgrade& upgrade) {
    while (!upgrade.IsTried(MonotonicNs())) usleep(1000);
  }

  const SigningKey key_ = MakeSigningKey();
  const std::string good_ = Read("/bin/true"), bad_ = Read("/bin/false");
  std::string folder_;
  RunningProgram running_;
};

TEST_F(ProgramUpgradeTest, WhatPassesItsTrialTakesThePlace) {
  const auto upgrade = Begin(good_, Sign(good_, "hone-runner 0.10.0 built for this test"));
  EXPECT_EQ(upgrade->sha256(), Sha256Hex(good_));
  EXPECT_EQ(Read(running_.path), "the running one");
  WaitFor(*upgrade);
  upgrade->PutInPlace();
  EXPECT_EQ(Files(), (std::vector<std::string>{"runner", "runner.previous"}));
  EXPECT_EQ(Read(running_.path), good_);
  EXPECT_EQ(Read(running_.path + ".previous"), "the running one");
  struct stat status{};
  ASSERT_EQ(stat(running_.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755u);
}

TEST_F(ProgramUpgradeTest, WhatFailsItsTrialLeavesNothing) {
  {
    const auto upgrade = Begin(bad_, Sign(bad_));
    EXPECT_THROW(WaitFor(*upgrade), Error);
  }
  EXPECT_EQ(Files(), (std::vector<std::string>{"runner"}));
  EXPECT_EQ(Read(running_.path), "the running one");
}

TEST_F(ProgramUpgradeTest, ATrialThatNeverEndsIsEnded) {
  const std::string waits = Read(TEST_WAITS_FOR_EVER);
  {
    const auto upgrade = Begin(waits, Sign(waits));
    EXPECT_FALSE(upgrade->IsTried(MonotonicNs()));
    try {
      upgrade->IsTried(MonotonicNs() + ProgramUpgrade::kTrialNs);
      ADD_FAILURE() << "still waits";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("longer than 30 s"));
    }
  }
  EXPECT_EQ(Files(), (std::vector<std::string>{"runner"}));
}

TEST_F(ProgramUpgradeTest, OnlyWhatTheKeyHasSignedIsStarted) {
  ExpectRefused(good_, SignBytes(good_, MakeSigningKey(), "hone-runner 0.2.0"), ExitCode::kNotAuthorised, "");
  ExpectRefused(good_ + "x", Sign(good_), ExitCode::kNotAuthorised, "");
  ExpectRefused(good_, "no signature", ExitCode::kBadData, "");
}

TEST_F(ProgramUpgradeTest, NothingOlderAndNothingElseIsStarted) {
  ExpectRefused(good_, Sign(good_, "hone-runner 0.1.9"), ExitCode::kBadData, "0.1.9, older than 0.2.0");
  ExpectRefused(good_, Sign(good_, "hone pack zoo serial 3"), ExitCode::kBadData, "\"hone-runner VERSION\"");
  ExpectRefused(good_, Sign(good_, "hone-runner latest"), ExitCode::kBadData, "\"hone-runner VERSION\"");
  ExpectRefused("#!/bin/true", Sign("#!/bin/true"), ExitCode::kBadData, "no ELF program");
  std::string other = good_;
  other[18] = static_cast<char>(other[18] ^ 0x55);  // e_machine in the ELF header
  ExpectRefused(other, Sign(other), ExitCode::kBadData, "another architecture");
}

TEST_F(ProgramUpgradeTest, WhatCannotBeWrittenIsSaid) {
  running_.path = folder_ + "/none/runner";
  ExpectRefused(good_, Sign(good_), ExitCode::kCannotCreate, "/none/runner.new");
}

TEST_F(ProgramUpgradeTest, CodesOfEnrolmentAreNotUsedAgain) {
  EXPECT_EQ(WordsToStartAgain({"--tracker", "t", "--enroll", "code", "--key", "k"}),
            (std::vector<std::string>{"--tracker", "t", "--key", "k"}));
  EXPECT_EQ(WordsToStartAgain({"--enroll=code", "--once"}), (std::vector<std::string>{"--once"}));
}

}  // namespace
}  // namespace hone
