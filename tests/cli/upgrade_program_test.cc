// A board's runner is upgraded to another program: the commands of docs/howto/fleet.md, with a real tracker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/hash/hash.h"
#include "core/hash/minisign.h"
#include "core/json/serialize.h"
#include "core/version.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class UpgradeProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::ifstream in(HONE_RUNNER, std::ios::binary);
    ours_.assign(std::istreambuf_iterator<char>(in), {});
    Write("work/release.pub", PublicKeyFile(key_.public_key));
    std::filesystem::create_directories(Path("work/board"));
    Write("work/board/hone-runner", ours_);
    Offer("new", ours_ + "another build", "hone-runner " + std::string(HoneVersion()));
  }
  // A file and its signature, as a builder of runners would publish them.
  void Offer(const std::string& name, const std::string& file, const std::string& comment) {
    Write("work/" + name, file);
    Write("work/" + name + ".minisig", SignBytes(file, key_, comment));
  }
  // Runs the commands while a tracker and a runner run; $address is the tracker's, $runner the runner's process.
  ProgramResult WithRunner(const std::string& options, const std::string& commands) {
    return Shell(
        "chmod 755 board/hone-runner; "
        "{ \"$HONE\" tracker --bind 'tcp://127.0.0.1:*' --port-file port >tracker.out 2>&1 & } && tracker=$!; "
        "for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done; address=$(cat port); "
        "timeout 120 board/hone-runner --tracker $address --key pi --label board --health off " +
        options +
        " 2>runner.err & runner=$!; "
        "for i in $(seq 100); do hone devices --tracker $address 2>/dev/null | grep -q board && break; sleep 0.1; "
        "done; " +
        commands + "; kill -TERM $runner; wait $runner; kill $tracker; wait $tracker; cat runner.err >&2");
  }

  const SigningKey key_ = MakeSigningKey();
  std::string ours_;
};

TEST_F(UpgradeProgram, ARunnerBecomesWhatItsKeyHasSigned) {
  const ProgramResult r = WithRunner("--upgrade-key release.pub",
                                     "hone devices upgrade pi --file new --tracker $address; echo code $?; "
                                     "hone devices --tracker $address --json; "
                                     "hone tune zoo:mlp --image-shape 1,14,14 --trials 4 --tracker $address --key pi "
                                     "--db t.db >/dev/null; echo tuned $?");
  EXPECT_THAT(r.out, HasSubstr("upgraded")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("code 0")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("\"program\":\"" + Sha256Hex(Read("work/new")))) << r.err;
  EXPECT_THAT(r.out, HasSubstr("tuned 0")) << r.err;
  EXPECT_EQ(Sha256Hex(Read("work/board/hone-runner")), Sha256Hex(Read("work/new")));
  EXPECT_EQ(Sha256Hex(Read("work/board/hone-runner.previous")), Sha256Hex(ours_));
}

TEST_F(UpgradeProgram, WhatDoesNotWorkLeavesTheRunnerAsItIs) {
  std::ifstream in("/bin/false", std::ios::binary);
  Offer("broken", {std::istreambuf_iterator<char>(in), {}}, "hone-runner 99.0.0");
  Offer("old", ours_ + "old", "hone-runner 0.0.1");
  Write("work/unsigned", ours_ + "unsigned");
  Write("work/unsigned.minisig", SignBytes(ours_ + "unsigned", MakeSigningKey(), "hone-runner 99.0.0"));
  const ProgramResult r = WithRunner("--upgrade-key release.pub",
                                     "for f in broken old unsigned; do "
                                     "hone devices upgrade board --file $f --tracker $address; echo $f $?; done; "
                                     "hone devices upgrade nobody --file new --tracker $address; echo nobody $?; "
                                     "hone devices upgrade pi --file absent --tracker $address; echo absent $?; "
                                     "hone devices upgrade pi --file new --signature release.pub --tracker $address; "
                                     "echo nonsense $?; hone devices --tracker $address | grep -c free");
  EXPECT_THAT(r.out, HasSubstr("its trial ended with code 1")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("broken 1"));
  EXPECT_THAT(r.out, HasSubstr("older than"));
  EXPECT_THAT(r.out, HasSubstr("old 1"));
  EXPECT_THAT(r.out, HasSubstr("unsigned 1"));
  EXPECT_THAT(r.out, HasSubstr("nobody 65"));
  EXPECT_THAT(r.out, HasSubstr("absent 66"));
  EXPECT_THAT(r.out, HasSubstr("nonsense 65"));
  EXPECT_EQ(Sha256Hex(Read("work/board/hone-runner")), Sha256Hex(ours_));
  for (const std::string& file : Files()) EXPECT_FALSE(file.ends_with(".new")) << file;
}

TEST_F(UpgradeProgram, ARunnerTakesNoneUnlessItIsToldTo) {
  const ProgramResult r = WithRunner("", "hone devices upgrade pi --file new --tracker $address; echo code $?");
  EXPECT_THAT(r.out, HasSubstr("code 1")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("--upgrade-key"));
  EXPECT_EQ(Sha256Hex(Read("work/board/hone-runner")), Sha256Hex(ours_));
}

}  // namespace
}  // namespace hone
