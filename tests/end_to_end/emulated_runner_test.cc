// The one-file runner of an architecture as the board of a local tracker, under qemu-user where the architecture is
// another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/end_to_end/board.h"
#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class OneFileRunner : public TrackerChildTest {
 protected:
  void SetUp() override {
    TrackerChildTest::SetUp();
    board_ = BoardUnderTest();
    if (const std::string why = WhyNoBoard(board_); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  }
  void TearDown() override {
    runner_.reset();
    TrackerChildTest::TearDown();
  }

  std::unique_ptr<ChildProgram> StartRunner(const std::vector<std::string>& more = {}, bool old_kernel = false) const {
    const BoardProgram start = StartOf(board_, old_kernel);
    std::vector<std::string> words = start.before;
    words.insert(words.end(), {"--tracker", address_, "--key", "board", "--label", "file"});
    words.insert(words.end(), start.after.begin(), start.after.end());
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<ChildProgram>(start.program, words, Path("work/board"));
  }
  void Start(bool old_kernel = false) {
    runner_ = StartRunner({}, old_kernel);
    for (int i = 0; i < 1000; ++i) {
      if (Shell("hone devices --tracker " + address_).out.find("file") != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << "the runner did not come: " << runner_->ErrorText();
  }
  std::string There() const { return " --tracker " + address_ + " --key board"; }
  // Tunes on the board and builds for it: "board.hone".
  void TuneAndBuild() {
    const ProgramResult tuned =
        Shell("hone tune model.onnx" + There() + " --db records.db --trials 6 --threads 1 --finals kernels");
    ASSERT_EQ(tuned.code, 0) << tuned.err << runner_->ErrorText();
    EXPECT_THAT(tuned.err, AllOf(HasSubstr("timing on board/file ("), HasSubstr("-mtriple=" + board_.arch)));
    // A fate begins with a capital letter; a task whose trials were only noisy names none.
    EXPECT_THAT(tuned.out, Not(ContainsRegex("none: [0-9]+ of [0-9]+ trials [A-Z]"))) << tuned.err;
    const ProgramResult built = Shell(NextOf(tuned));
    ASSERT_EQ(built.code, 0) << built.err;
    package_ = NextOf(tuned).substr(NextOf(tuned).find(" -o ") + 4);
  }

  Board board_;
  std::string package_;

 private:
  std::unique_ptr<ChildProgram> runner_;
};

class EmulatedRunner : public OneFileRunner {};

// An emulator's times mean nothing: a build may use such records only where there are no others, and nothing calls them
// best.
TEST_F(EmulatedRunner, IsNeverTheBest) {
  Start();
  TuneAndBuild();
  const ProgramResult best = Shell("hone log export --best --db records.db -o best.log");
  ASSERT_EQ(best.code, 0) << best.err;
  EXPECT_THAT(best.out, StartsWith("0 records written"));
  EXPECT_THAT(Shell("hone log best --json --db records.db").out, StartsWith("{\"records\":[]}"));
  const ProgramResult packed = Shell("hone log pack --name board --db records.db -o board.honepack");
  EXPECT_NE(packed.code, 0);
  EXPECT_EQ(std::count(packed.err.begin(), packed.err.end(), '\n'), 1) << packed.err;
  const ProgramResult all = Shell("hone log pack --all --name board --db records.db -o board.honepack");
  EXPECT_EQ(all.code, 0) << all.err;
}

TEST_F(OneFileRunner, TunesAModelThroughTheTracker) {
  Start();
  TuneAndBuild();
  const ProgramResult log = Shell("hone log export --all --db records.db");
  const char *right = board_.emulated() ? "true" : "false", *wrong = board_.emulated() ? "false" : "true";
  EXPECT_THAT(log.out, HasSubstr(std::string("\"emulated\":") + right)) << log.out << log.err;
  EXPECT_THAT(log.out, Not(HasSubstr(std::string("\"emulated\":") + wrong)));
}

// An emulator makes the host's system calls on behalf of its program.
TEST_F(OneFileRunner, NeedsNoSystemCallThatIsNewerThanLinux44) {
  Start(true);
  TuneAndBuild();
  const ProgramResult verified = Shell("hone verify model.onnx " + package_ + There());
  EXPECT_EQ(verified.code, 0) << verified.err << verified.out;
  const ProgramResult devices = Shell("hone devices --json --tracker " + address_);
  EXPECT_THAT(devices.out, Not(HasSubstr("landlock"))) << "its calls are newer";
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
  EXPECT_THAT(there.out, AllOf(HasSubstr("timed on board/file"), HasSubstr("it is emulated"), HasSubstr("nn.dense")));
}

TEST_F(EmulatedRunner, IsSentNoPackageOfAnotherArchitecture) {
  Start();
  ASSERT_EQ(Shell("hone build model.onnx -o here.hone").code, 0);
  const ProgramResult refused = Shell("hone bench here.hone" + There());
  EXPECT_EQ(refused.code, 78);
  EXPECT_THAT(refused.err, AllOf(StartsWith("hone: here.hone cannot run on board/file: "), HasSubstr(" code")));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

// One file for this machine and for the board, from which each takes its own package.
TEST_F(EmulatedRunner, IsSentItsOwnOfAPackageForSeveral) {
  Start();
  const std::string build = "hone build model.onnx --no-records --threads 1 ";
  ASSERT_EQ(Shell(build + "--target host -o here.hone").code, 0);
  ASSERT_EQ(Shell(build + "--target " + board_.target + " -o there.hone").code, 0);
  const ProgramResult joined = Shell("hone package join here.hone there.hone -o both.hone");
  ASSERT_EQ(joined.code, 0) << joined.err;
  for (const auto& [place, alone] : {std::pair{There(), "there"}, std::pair{std::string(), "here"}}) {
    const std::string both = std::string("both-") + alone;
    const ProgramResult ran = Shell("hone run both.hone --threads 1 --output " + both + place);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(Shell(std::string("hone run ") + alone + ".hone --threads 1 --output " + alone + place).code, 0);
    const ProgramResult compared = Shell("diff -r " + both + " " + alone);
    EXPECT_EQ(compared.code, 0) << compared.out;
    const ProgramResult verified = Shell("hone verify model.onnx both.hone --threads 1" + place);
    EXPECT_EQ(verified.code, 0) << verified.err << verified.out;
  }
  const ProgramResult timed = Shell("hone bench both.hone --runs 3 --threads 1" + There());
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_THAT(timed.out, AllOf(HasSubstr("timed on board/file"), HasSubstr("it is emulated")));
}

TEST_F(OneFileRunner, AnswersTheDoctor) {
  Start();
  const ProgramResult examined = Shell("hone doctor" + There());
  for (const char* hop : {"\nkeys ", "\nconnect ", "\nlease ", "\nbuild ", "\nupload ", "\nrun ", "\nresult "}) {
    EXPECT_THAT(examined.out, HasSubstr(hop)) << examined.err;
  }
  EXPECT_THAT(examined.out, HasSubstr("right; one run took"));
  EXPECT_EQ(examined.out.find("emulated") != std::string::npos, board_.emulated()) << examined.out;
}

// An emulator of programs offers neither the host's system-call filter nor its Landlock.
TEST_F(EmulatedRunner, SaysWhatItCannotIsolate) {
  const auto refused = StartRunner({"--require-isolation", "seccomp"});
  EXPECT_EQ(refused->Wait(), 78) << refused->ErrorText();
  EXPECT_THAT(refused->ErrorText(), HasSubstr("\"seccomp\" is missing"));
}

}  // namespace
}  // namespace hone
