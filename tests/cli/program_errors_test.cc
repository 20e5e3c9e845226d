// The program's messages and exit codes on errors, and that it leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ProgramErrors : public ProgramTest {
 protected:
  void ExpectFailure(const std::vector<std::string>& arguments, int code, const std::string& message) {
    const ProgramResult r = Hone(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << "one line is right: " << r.err;
    EXPECT_THAT(r.err, StartsWith("hone: "));
  }
};

TEST_F(ProgramErrors, UnknownCommandIsUsageWithTheNearest) {
  ExpectFailure({"tun", "x.onnx"}, 2, "did you mean tune?");
  ExpectFailure({"log", "exprot"}, 2, "did you mean export?");
  ExpectFailure({}, 2, "hone --help");
}

TEST_F(ProgramErrors, CalledHoneCompilerItIsThatProgram) {
  const ProgramResult r = Shell("exec bash -c 'exec -a hone-compiler \"$HONE\"'");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, StartsWith("hone-compiler: hone-compiler is started by hone tune: --fd"));
}

TEST_F(ProgramErrors, UnknownOptionIsUsageWithTheNearest) {
  ExpectFailure({"build", "x.onnx", "-o", "p.hone", "--no-record"}, 2, "did you mean --no-records?");
}

TEST_F(ProgramErrors, WordsOfOtherProgramsNameHonesOwn) {
  ExpectFailure({"zoo", "--list"}, 2, "`hone zoo` alone lists");
  ExpectFailure({"tune", "zoo:mlp", "--time", "5m"}, 2, "did you mean --budget?");
  ExpectFailure({"benchmark"}, 2, "hone bench");
  const ProgramResult asked = Hone({"help", "log", "best"});
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.out, Hone({"log", "best", "--help"}).out);
  EXPECT_EQ(Hone({"help", "tune"}).out, Hone({"tune", "--help"}).out);
  EXPECT_EQ(Hone({"benchmark", "--help"}).out, Hone({"bench", "--help"}).out);
  EXPECT_EQ(Hone({"compile", "--help"}).out, Hone({"build", "--help"}).out);
}

TEST_F(ProgramErrors, ABoardsNameIsATarget) {
  const ProgramResult r = Shell(
      "hone build zoo:mlp --image-shape 1,14,14 --target raspberrypi4 --no-records -o p.hone && hone package info "
      "p.hone");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("cortex-a72"));
}

TEST_F(ProgramErrors, WhatIsMissingOrTooMuchComesWithAnExample) {
  ExpectFailure({"build", "x.onnx"}, 2, "as in `hone build ");
  ExpectFailure({"log", "best", "X"}, 2, "right is a line as `hone log best ");
}

TEST_F(ProgramErrors, AModelWhereAPackageBelongsNamesTheBuild) {
  Write("work/m.onnx", std::string(9000, 'm'));
  ExpectFailure({"profile", Path("work/m.onnx")}, 65, "`hone build MODEL -o P.hone`");
}

TEST_F(ProgramErrors, ModelsOfOtherProgramsNameTheWayToOnnx) {
  Write("work/m.gguf", "GGUF and more");
  ExpectFailure({"inspect", Path("work/m.gguf")}, 65, "exported to ONNX");
  Write("work/m.pt", "PK\x03\x04 and more");
  ExpectFailure({"inspect", Path("work/m.pt")}, 65, "torch.onnx.export");
  Write("work/m.tflite", "    TFL3 and more");
  ExpectFailure({"inspect", Path("work/m.tflite")}, 65, "tf2onnx");
}

TEST_F(ProgramErrors, OptionsThatDoNotFitAreUsage) {
  ExpectFailure({"build", "x.onnx"}, 2, "--output");
  ExpectFailure({"run", "p.hone", "--threads", "0"}, 2, "--threads");
  ExpectFailure({"zoo", "mlp"}, 2, "-o FILE.onnx");
  ExpectFailure({"inspect", "zoo:vgg-11", "--layout", "NHWC"}, 2, "zoo:vgg-11 is given the layout \"NHWC\"");
  ExpectFailure({"inspect", "zoo:resnet-18", "--layout", "CHWN"}, 2, "NHWC");
  ExpectFailure({"inspect", "x.onnx", "--layout", "NHWC"}, 2, "--layout are for zoo: networks");
  ExpectFailure({"bench", "p.hone", "--fail-above", "3%"}, 2, "two packages");
  ExpectFailure({"tune", "zoo:mlp", "--image-shape", "1,14,14", "--budget", "soon"}, 2, "soon");
}

TEST_F(ProgramErrors, TuningAskedWrongIsUsageAndLeavesNoStore) {
  const auto expect = [this](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> arguments = {"tune", "zoo:mlp", "--image-shape", "1,14,14"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ExpectFailure(arguments, 2, message);
  };
  expect({"--budget", "0s"}, "0s");
  expect({"--cores", "node9999"}, "right is a list such as 0,2-3, or of this machine's words nosmt, node0");
  expect({"--trials", "0"}, "--trials");
  for (const char* gain : {"0", "0%", "100%", "1", "-1%", "soon", "200%"})
    expect({"--until-gain", gain}, "--until-gain");
  expect({"--strategy", "evolutionry"}, "did you mean evolutionary?");
  expect({"--cache", "hot"}, "cold-weights");
  expect({"--tasks", "nn.conv3d", "no such"}, "hone inspect MODEL --tasks");
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ProgramErrors, MissingFilesAreNoInput) {
  ExpectFailure({"inspect", Path("no.onnx")}, 66, "no.onnx");
  ExpectFailure({"run", Path("no.hone")}, 66, "no.hone");
  ExpectFailure({"inspect", "zoo:resnet-19"}, 66, "resnet-18");
  ExpectFailure({"inspect", "resnet-18"}, 66, "zoo:resnet-18");
  ExpectFailure({"log", "list", "--db", Path("no.db")}, 66, "no.db");
  ExpectFailure({"log", "import", Path("no.log")}, 66, "no.log");
  const std::string endless = Path(std::string(5000, 'a'));
  ExpectFailure({"inspect", endless}, 66, "aaa");
  ExpectFailure({"log", "list", "--db", endless}, 66, "aaa");
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ProgramErrors, ATruncatedModelIsBadData) {
  ASSERT_EQ(Hone({"zoo", "mlp", "--image-shape", "1,14,14", "-o", Path("work/m.onnx")}).code, 0);
  const std::string whole = Read("work/m.onnx");
  Write("work/cut.onnx", whole.substr(0, whole.size() / 2));
  ExpectFailure({"build", Path("work/cut.onnx"), "-o", Path("work/p.hone")}, 65, "cut.onnx");
  EXPECT_THAT(Files(), testing::ElementsAre("work/cut.onnx", "work/m.onnx"));
}

TEST_F(ProgramErrors, ADamagedPackageIsBadData) {
  Write("work/p.hone", "HONEPKG\nnot much more");
  ExpectFailure({"run", Path("work/p.hone")}, 65, "p.hone");
  ExpectFailure({"package", "info", Path("work/p.hone")}, 65, "p.hone");
}

TEST_F(ProgramErrors, APackageForAnotherCpuIsBadConfig) {
  const ProgramResult built =
      Hone({"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/p.hone"), "--no-records", "--target",
            "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -num-cores=4"});
  ASSERT_EQ(built.code, 0) << built.err;
  ExpectFailure({"run", Path("work/p.hone")}, 78, "aarch64");
}

TEST_F(ProgramErrors, TuningForWhatCannotRunHereIsBadConfigAndLeavesNoStore) {
  const std::vector<std::string> tune = {"tune", "zoo:mlp", "--image-shape", "1,14,14"};
  const auto expect = [&](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> arguments = tune;
    arguments.insert(arguments.end(), more.begin(), more.end());
    ExpectFailure(arguments, 78, message);
  };
  expect({"--threads", "1024"}, "1024 threads were asked for");
  expect({"--cores", "0", "--threads", "2"}, "has 1 core");
  expect({"--target", "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+a,+c,+d,+f,+m"}, "generic-rv64");
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ProgramErrors, AFileThatIsNoStoreIsRefusedAndKept) {
  Write("work/records.db", "this is not a store, and it is somebody's file");
  ExpectFailure({"log", "list", "--db", Path("work/records.db")}, 65, "records.db");
  EXPECT_EQ(Read("work/records.db"), "this is not a store, and it is somebody's file");
}

// No program listens at port 1 of loopback.
TEST_F(ProgramErrors, DevicesOfATrackerThatIsNotThereAreNoRunner) {
  ExpectFailure({"devices", "--tracker", "tcp://127.0.0.1:1"}, 69, "127.0.0.1:1");
}

TEST_F(ProgramErrors, TuningThroughATrackerThatIsNotThereLeavesNoStore) {
  ExpectFailure({"tune", "zoo:mlp", "--image-shape", "1,14,14", "--tracker", "tcp://127.0.0.1:1", "--key", "k"}, 69,
                "127.0.0.1:1");
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ProgramErrors, AFolderThatIsNotThereCannotBeWrittenTo) {
  ExpectFailure({"zoo", "mlp", "--image-shape", "1,14,14", "-o", Path("nowhere/m.onnx")}, 73, "nowhere/m.onnx");
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace
}  // namespace hone
