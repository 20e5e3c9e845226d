// `hone run --dump` and `--upto`: what every call of a package leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class Dump : public ProgramTest {
 protected:
  // Three calls: nothing is fused over a softmax.
  void Build(const std::string& middle) {
    Write("work/m.relay", "def @main(%x: Tensor[(2, 5), float32]) {\n  %0 = nn.softmax(%x);\n  %1 = " + middle +
                              ";\n  nn.softmax(%1)\n}\n");
    const ProgramResult r = Shell("hone build m.relay --no-records --threads 1 -o m.hone");
    ASSERT_EQ(r.code, 0) << r.err;
  }
};

TEST_F(Dump, KeepsWhatEachCallLeaves) {
  Build("sqrt(%0)");
  const ProgramResult r = Shell("hone run m.hone --fill ramp --dump values");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("every value is finite"));
  const ProgramResult files = Shell("ls values");
  EXPECT_EQ(std::count(files.out.begin(), files.out.end(), '\n'), 3) << files.out;
  // The last is the output, and the same as a run gives.
  EXPECT_EQ(Shell("hone run m.hone --fill ramp --output out && cmp out/*.npy values/0002_*.npy").code, 0);
  EXPECT_EQ(Shell("hone run m.hone --fill ramp --dump more --threads 2 && cmp more/0001_*.npy values/0001_*.npy").code,
            0);
}

TEST_F(Dump, NamesWhereNaNComesFirst) {
  Build("sqrt(negative(%0))");
  const ProgramResult r = Shell("hone run m.hone --fill ramp --dump values --json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("\"first_not_finite\":"));
  EXPECT_THAT(r.out, Not(HasSubstr("\"first_not_finite\":null")));
  EXPECT_THAT(Shell("hone run m.hone --fill ramp --dump values").out, HasSubstr("(call 1, "));
}

TEST_F(Dump, StopsAtANode) {
  Build("sqrt(%0)");
  const ProgramResult r = Shell("hone run m.hone --fill ramp --upto %1 --dump values");
  EXPECT_EQ(r.code, 0) << r.err;
  const ProgramResult files = Shell("ls values");
  EXPECT_EQ(std::count(files.out.begin(), files.out.end(), '\n'), 2) << files.out;
  const ProgramResult none = Shell("hone run m.hone --upto %7");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("m.hone has no node %7"));
}

TEST_F(Dump, BisectNamesTheFirstNodeThatDiffers) {
  const std::string build =
      "hone zoo mlp --image-shape 1,14,14 -o m.onnx && hone build m.onnx --no-records --threads 1 ";
  ASSERT_EQ(Shell(build + "-o m.hone && hone package unpack m.hone -o parts").code, 0);
  const ProgramResult same = Shell("hone verify m.onnx m.hone --threads 1 --bisect");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("the last value agrees"));
  // The file's last bytes are those of fc3's bias: 64 times 4.0, of which some may be lanes behind its end.
  ASSERT_EQ(
      Shell("head -c -256 parts/params.safetensors > cut && for i in $(seq 64); do printf '\\000\\000\\200\\100'; "
            "done >> cut && mv cut parts/params.safetensors && hone package pack parts -o wrong.hone")
          .code,
      0);
  const ProgramResult wrong = Shell("hone verify m.onnx wrong.hone --threads 1 --bisect");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("from node bias_add_2 on (call 2, nn.dense) nothing agrees"));
  EXPECT_THAT(Shell("hone verify m.onnx wrong.hone --bisect --threads 1 --json").out,
              HasSubstr("\"first\":\"bias_add_2\""));
  EXPECT_EQ(Shell("hone verify zoo:mlp --image-shape 1,14,14 m.hone --threads 1 --bisect").code, 2);
}

}  // namespace
}  // namespace hone
