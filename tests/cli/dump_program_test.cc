// `hone run --dump` and `--upto`: the outputs of every call of a package.
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
  // Three calls, because nothing is fused over a softmax.
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
  // The last value is the output, and equals that of a normal run.
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
  // The file's last bytes belong to fc3's bias: they become 64 times 4.0, some of which may be padding lanes.
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

TEST_F(Dump, BisectNamesTheFirstValueThatIsNotFinite) {
  // Both are NaN, so they agree, but the search reports the first value that is not finite.
  Build("sqrt(negative(%0))");
  const ProgramResult both = Shell("hone verify m.relay m.hone --threads 1 --bisect");
  EXPECT_EQ(both.code, 0) << both.out << both.err;
  EXPECT_THAT(both.out, HasSubstr("not finite first: %1 (call 1, "));
  EXPECT_THAT(both.out, HasSubstr("10 of its elements; 10 of those that it is compared with"));
  EXPECT_THAT(Shell("hone verify m.relay m.hone --threads 1 --bisect --json").out,
              HasSubstr("\"first_not_finite\":\"%1\""));
  Build("sqrt(%0)");
  EXPECT_THAT(Shell("hone verify m.relay m.hone --threads 1 --bisect").out, Not(HasSubstr("not finite")));
  EXPECT_THAT(Shell("hone verify m.relay m.hone --threads 1 --bisect --json").out,
              HasSubstr("\"first_not_finite\":null"));
}

TEST_F(Dump, BisectComparesWithAnotherPackageAndWithADump) {
  Build("sqrt(%0)");
  ASSERT_EQ(Shell("hone build m.relay --no-records --threads 1 -O0 -o plain.hone && hone run plain.hone --dump d").code,
            0);
  const std::string bisect = "hone verify m.relay m.hone --threads 1 --bisect --against ";
  for (const std::string against : {"plain.hone", "d"}) {
    const ProgramResult same = Shell(bisect + against);
    EXPECT_EQ(same.code, 0) << against << same.out << same.err;
    EXPECT_THAT(same.out, HasSubstr("the last value agrees"));
  }
  // The networks differ from the second value on.
  ASSERT_EQ(Shell("mv m.hone good.hone && mv m.relay good.relay").code, 0);
  Build("exp(%0)");
  ASSERT_EQ(Shell("hone run m.hone --dump other").code, 0);
  for (const std::string against : {"m.hone", "other"}) {
    const ProgramResult differs = Shell("hone verify good.relay good.hone --threads 1 --bisect --against " + against);
    EXPECT_EQ(differs.code, 1) << against << differs.out << differs.err;
    EXPECT_THAT(differs.out, HasSubstr("from node %1 on (call 1, sqrt) nothing agrees"));
  }
}

TEST_F(Dump, BisectRefusesWhatIsNothingToCompareWith) {
  Build("sqrt(%0)");
  const std::string bisect = "hone verify m.relay m.hone --threads 1 --bisect --against ";
  EXPECT_EQ(Shell(bisect + "none").code, 66);
  const ProgramResult empty = Shell("mkdir empty && " + bisect + "empty");
  EXPECT_EQ(empty.code, 66);
  EXPECT_THAT(empty.err, HasSubstr("the folder empty has no .npy file"));
  ASSERT_EQ(Shell("mkdir named && hone run m.hone --dump d && cp d/0000_*.npy named/another.npy").code, 0);
  EXPECT_THAT(Shell(bisect + "named").err, HasSubstr("no value of the package has name and shape of one of named"));
  EXPECT_THAT(Shell("head -c 70 d/0000_*.npy > d/cut && mv d/cut d/0000__0.npy && " + bisect + "d").err,
              HasSubstr("d/0000__0.npy"));
  EXPECT_EQ(Shell("hone verify m.relay m.hone --against d").code, 2);
  EXPECT_EQ(Shell("hone verify m.relay m.hone --bisect --expect d/0001__1.npy").code, 2);
}

class NodeAlone : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    Write("work/m.relay",
          "def @main(%x: Tensor[(2, 5), float32], %i: Tensor[(2), int64]) {\n  %0 = nn.softmax(%x);\n"
          "  %1 = sqrt(%0);\n  %2 = (%0, %1, %x);\n  %3 = concatenate(%2, axis=1);\n  %4 = split(%3, "
          "indices_or_sections=3, axis=1);\n  %5 = %4.1;\n  take(%5, %i, axis=0)\n}\n");
  }
};

TEST_F(NodeAlone, GivesWhatTheWholeModelGives) {
  const ProgramResult r = Shell("hone run m.relay --node %3 --no-records --fill ramp --output alone");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("copy generic\n"));
  EXPECT_THAT(r.out, HasSubstr("it agrees"));
  EXPECT_THAT(r.out, HasSubstr("operand2 2x5 float32: 0 0.1 0.2"));
  // The folder `alone` is a dump with one value.
  ASSERT_EQ(Shell("hone build m.relay --no-records -O0 -o m.hone").code, 0);
  const ProgramResult whole = Shell("hone verify m.relay m.hone --bisect --against alone --fill ramp");
  EXPECT_EQ(whole.code, 0) << whole.out << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("%3"));
  // Each of several results is a value of its own.
  const ProgramResult split = Shell("hone run m.relay --node %4 --no-records --json");
  EXPECT_EQ(split.code, 0) << split.err;
  EXPECT_THAT(split.out, HasSubstr("\"name\":\"%4_2\""));
}

TEST_F(NodeAlone, TakesWhatItIsGiven) {
  ASSERT_EQ(Shell("hone run m.relay --node %1 --no-records --fill ones --output a").code, 0);
  const std::string given = "hone run m.relay --node %1 --no-records --fill zeros --operand 0=a/operand0.npy --output ";
  EXPECT_EQ(Shell(given + "b && cmp a/_1.npy b/_1.npy").code, 0);
  ASSERT_EQ(Shell("hone run m.relay --node %0 --no-records --fill ramp --output x").code, 0);
  EXPECT_EQ(Shell("hone run m.relay --node %1 --no-records --operand 0=x/operand0.npy --output c").code, 0);
  EXPECT_EQ(Shell("cmp a/_1.npy c/_1.npy").code, 1);
  EXPECT_EQ(Shell("cmp x/operand0.npy c/operand0.npy").code, 0);
}

TEST_F(NodeAlone, IsOneNodeWhereAnImporterMakesSeveralCallsOfIt) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o d.onnx").code, 0);
  const ProgramResult r = Shell("hone run d.onnx --node bias_add_1 --no-records");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("nn.dense dense_pack"));
  EXPECT_THAT(r.out, HasSubstr("operand0 1x128 float32"));
  EXPECT_THAT(r.out, HasSubstr("bias_add_1 1x64 float32"));
}

TEST_F(NodeAlone, SaysWhatDiffersAndWhatIsWrong) {
  const std::string run = "hone run m.relay --no-records --node ";
  const ProgramResult differs = Shell("hone run zoo:mlp --node x");
  EXPECT_EQ(differs.code, 2);
  EXPECT_THAT(differs.err, HasSubstr("the nodes of zoo:mlp have no names"));
  const ProgramResult strict = Shell(run + "%0 --tolerance 0");
  EXPECT_EQ(strict.code, 1) << strict.out;
  EXPECT_THAT(strict.out, HasSubstr("it DIFFERS"));
  EXPECT_THAT(Shell(run + "%33").err, HasSubstr("m.relay has no node %33; did you mean %3?"));
  ASSERT_EQ(Shell(run + "%5 --output a; " + run + "%3 --output b").code, 0);
  EXPECT_THAT(Shell(run + "%1 --operand 0=b/_3.npy").err,
              HasSubstr("operand 0 is given float32 2x15; the node takes float32 2x5"));
  EXPECT_THAT(Shell(run + "%1 --operand 1=b/_3.npy").err, HasSubstr("%1 takes 1 operands that are no constants"));
  EXPECT_THAT(Shell(run + "%1 --operand x=b/_3.npy").err, HasSubstr("--operand is given \"x=b/_3.npy\""));
  EXPECT_THAT(Shell(run + "%1 --operand 0=b/_3.npy --operand 0=b/_3.npy").err, HasSubstr("given twice for 0"));
  EXPECT_EQ(Shell(run + "%1 --operand 0=none.npy").code, 66);
}

}  // namespace
}  // namespace hone
