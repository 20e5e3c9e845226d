// The one-file runner of another architecture, under qemu-user, as the board of a tracker here. HONE_RUNNER_ARCH names
// the architecture; what scripts/build_runner.sh made of it lies in HONE_RUNNERS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/parse_number.h"
#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Board {
  std::string arch, runner, emulator;
};

Board BoardUnderTest() {
  const char* arch = std::getenv("HONE_RUNNER_ARCH");
  Board board;
  board.arch = arch == nullptr ? "aarch64" : arch;
  board.runner = std::string(HONE_RUNNERS) + "/" + board.arch + "/hone-runner";
  board.emulator =
      board.arch == "riscv64" ? "qemu-riscv64-static -cpu rv64,v=true,vlen=256" : "qemu-" + board.arch + "-static";
  return board;
}

class EmulatedRunner : public TrackerChildTest {
 protected:
  void SetUp() override {
    TrackerChildTest::SetUp();
    board_ = BoardUnderTest();
    if (access(board_.runner.c_str(), X_OK) != 0) {
      GTEST_SKIP() << "no " << board_.runner << "; scripts/build_runner.sh " << board_.arch << " makes it";
    }
    const std::string program = board_.emulator.substr(0, board_.emulator.find(' '));
    if (std::system(("command -v " + program + " >/dev/null").c_str()) != 0) GTEST_SKIP() << "no " << program;
    ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  }
  void TearDown() override {
    runner_.reset();
    TrackerChildTest::TearDown();
  }

  std::unique_ptr<ChildProgram> StartRunner(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words;
    for (std::string_view word : Split(board_.emulator, ' ')) words.emplace_back(word);
    words.insert(words.end(), {board_.runner, "--tracker", address_, "--key", "board", "--label", "emulated",
                               "--health", "off", "--emulator", board_.emulator});
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<ChildProgram>("/usr/bin/env", words, Path("work/board"));
  }
  void Start() {
    runner_ = StartRunner();
    for (int i = 0; i < 200; ++i) {
      if (Shell("hone devices --tracker " + address_).out.find("emulated") != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << "the runner did not come: " << runner_->ErrorText();
  }
  std::string There() const { return " --tracker " + address_ + " --key board"; }
  // Tuned there and built for it: "board.hone".
  void TuneAndBuild() {
    const ProgramResult tuned =
        Shell("hone tune model.onnx" + There() + " --db records.db --trials 6 --threads 1 --finals kernels");
    ASSERT_EQ(tuned.code, 0) << tuned.err << runner_->ErrorText();
    EXPECT_THAT(tuned.err, AllOf(HasSubstr("timing on board/emulated ("), HasSubstr("-mtriple=" + board_.arch)));
    EXPECT_THAT(tuned.out, Not(HasSubstr("none: "))) << tuned.err;
    const ProgramResult built = Shell(NextOf(tuned));
    ASSERT_EQ(built.code, 0) << built.err;
    package_ = NextOf(tuned).substr(NextOf(tuned).find(" -o ") + 4);
  }

  Board board_;
  std::string package_;

 private:
  std::unique_ptr<ChildProgram> runner_;
};

TEST_F(EmulatedRunner, TunesAModelThroughTheTracker) {
  Start();
  TuneAndBuild();
  const ProgramResult best = Shell("hone log best --db records.db --json");
  EXPECT_THAT(best.out, HasSubstr("\"emulated\":true")) << best.out << best.err;
  EXPECT_THAT(best.out, Not(HasSubstr("\"emulated\":false")));
}

TEST_F(EmulatedRunner, IsNoDeviceToCompare) {
  Start();
  TuneAndBuild();
  const ProgramResult compared = Shell("hone compare model.onnx --from-records --db records.db");
  EXPECT_EQ(compared.code, 0) << compared.out;
  EXPECT_THAT(compared.out, AllOf(HasSubstr("not compared: emulated"), Not(HasSubstr("1.00x"))));
}

TEST_F(EmulatedRunner, TimesAPackageThatThisMachineRefuses) {
  Start();
  TuneAndBuild();
  const ProgramResult here = Shell("hone run " + package_);
  EXPECT_EQ(here.code, 78);
  EXPECT_THAT(here.err, AllOf(StartsWith("hone: "), HasSubstr("was built for"), HasSubstr("this machine is")));
  EXPECT_EQ(std::count(here.err.begin(), here.err.end(), '\n'), 1) << here.err;
  const ProgramResult there = Shell("hone bench " + package_ + There() + " --runs 5 --threads 1 --per-op");
  ASSERT_EQ(there.code, 0) << there.err << there.out;
  EXPECT_THAT(there.out,
              AllOf(HasSubstr("timed on board/emulated"), HasSubstr("it is emulated"), HasSubstr("nn.dense")));
}

TEST_F(EmulatedRunner, IsSentNoPackageOfAnotherArchitecture) {
  Start();
  ASSERT_EQ(Shell("hone build model.onnx -o here.hone").code, 0);
  const ProgramResult refused = Shell("hone bench here.hone" + There());
  EXPECT_EQ(refused.code, 78);
  EXPECT_THAT(refused.err, AllOf(StartsWith("hone: here.hone cannot run on board/emulated: "), HasSubstr(" code")));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

TEST_F(EmulatedRunner, AnswersTheDoctor) {
  Start();
  const ProgramResult examined = Shell("hone doctor" + There());
  for (const char* hop : {"\nkeys ", "\nlease ", "\nbuild ", "\nrun ", "\nresult "}) {
    EXPECT_THAT(examined.out, HasSubstr(hop)) << examined.err;
  }
  EXPECT_THAT(examined.out, AllOf(HasSubstr("emulated"), HasSubstr("right; one run took")));
}

// An emulator of programs has neither the host's system-call filter nor its Landlock to offer.
TEST_F(EmulatedRunner, SaysWhatItCannotIsolate) {
  const auto refused = StartRunner({"--require-isolation", "seccomp"});
  EXPECT_EQ(refused->Wait(), 78) << refused->ErrorText();
  EXPECT_THAT(refused->ErrorText(), HasSubstr("\"seccomp\" is missing"));
}

}  // namespace
}  // namespace hone
