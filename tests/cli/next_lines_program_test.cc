// The next command that a command prints can be typed as it is, and is for the same model, machine and store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class NextLines : public ProgramTest {
 protected:
  // Runs the line and expects success; returns the next command that it prints.
  std::string Follow(const std::string& line) {
    last_ = Shell(line);
    EXPECT_EQ(last_.code, 0) << line << "\n" << last_.err;
    return NextOf(last_);
  }
  ProgramResult last_;
};

TEST_F(NextLines, LeadFromTuningToTheTimesOfEachCallAndToOtherDevices) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o 'my model.onnx'").code, 0);
  const std::string about = " 'my model.onnx' --shape data=2,1,14,14";
  const std::string build = Follow("hone tune" + about + " --db 'my records.db' --threads 1 --trials 8");
  EXPECT_EQ(build, "hone build" + about + " --threads 1 --db 'my records.db' -o P.hone");
  const std::string run = Follow(build);
  EXPECT_THAT(last_.out, HasSubstr(" record ")) << "not those of this thread count";
  EXPECT_THAT(last_.out, HasSubstr(" 1 thread,"));
  EXPECT_EQ(run, "hone run P.hone --threads 1");
  const std::string compare = NextOf(last_, 1);
  EXPECT_EQ(compare, "hone compare" + about + " --threads 1 --db 'my records.db' --from-records");
  const std::string bench = Follow(run);
  EXPECT_THAT(last_.out, testing::ContainsRegex("\nfirst run, cold: [^\n]+ with 1 thread; `hone bench` times it\n"));
  EXPECT_EQ(bench, "hone bench P.hone --threads 1");
  const std::string per_op = Follow(bench + " --runs 3");
  EXPECT_EQ(per_op, "hone bench --per-op P.hone --threads 1");
  const std::string profile = Follow(per_op + " --runs 3");
  EXPECT_EQ(profile, "hone profile P.hone --threads 1");
  EXPECT_EQ(Follow(profile + " --runs 3"), bench);
  EXPECT_EQ(Follow(compare), build);
}

TEST_F(NextLines, SayWhatTheModelWas) {
  const std::string about = " zoo:mlp --batch 2 --image-shape 1,14,14 --seed 3";
  EXPECT_EQ(Follow("hone inspect" + about), "hone tune" + about);
  EXPECT_EQ(Follow("hone verify" + about + " --no-records"), "hone build" + about + " --no-records -o P.hone");
  EXPECT_EQ(Follow("hone build" + about + " --no-records -o 'a b.hone'"), "hone run 'a b.hone'");
  EXPECT_EQ(Follow("hone verify" + about + " 'a b.hone' --fill ones"), "hone bench 'a b.hone' --fill ones");
}

TEST_F(NextLines, DoNotRunWhatIsForAnotherMachine) {
  const std::string about = "hone build zoo:mlp --image-shape 1,14,14 --no-records -o P.hone --target ";
  const std::string info = Follow(about + "'llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -num-cores=4'");
  EXPECT_EQ(info, "hone package info P.hone");
  const std::string unpack = Follow(info);
  EXPECT_EQ(unpack, "hone package unpack P.hone -o P.hone.parts");
  EXPECT_EQ(Follow(unpack), info);
}

TEST_F(NextLines, CompareWhatWasReported) {
  const std::string about = " zoo:mlp --image-shape 1,14,14 --threads 1 --math exact";
  ASSERT_EQ(Shell("hone tune" + about + " --trials 4 --finals kernels --db s.db").code, 0);
  const std::string compare = Follow("hone report" + about + " --db s.db -o r.html");
  EXPECT_EQ(compare, "hone compare" + about + " --db s.db");
  Follow(compare);
}

TEST_F(NextLines, LeaveOutWhatTheEnvironmentSays) {
  environment = {{"HONE_DB", Path("work/mine.db")}, {"HONE_THREADS", "1"}};
  EXPECT_EQ(Follow("hone tune zoo:mlp --image-shape 1,14,14 --trials 4"),
            "hone build zoo:mlp --image-shape 1,14,14 -o P.hone");
}

}  // namespace
}  // namespace hone
