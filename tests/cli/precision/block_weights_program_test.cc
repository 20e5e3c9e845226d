// The options --weights int8 and int4, --group and --activations of the command line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kMlp = {"zoo:mlp", "--image-shape", "1,28,28"};

class BlockWeightsProgram : public ProgramTest {
 protected:
  // A model whose first layer, 784 to 128, is the only one large enough.
  ProgramResult Run(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> args{command};
    args.insert(args.end(), kMlp.begin(), kMlp.end());
    args.insert(args.end(), more.begin(), more.end());
    return Hone(args);
  }
  int64_t SizeWith(const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"-o", Path(name), "--no-records"});
    const ProgramResult built = Run("build", more);
    EXPECT_EQ(built.code, 0) << built.err;
    return static_cast<int64_t>(std::filesystem::file_size(Path(name)));
  }
};

TEST_F(BlockWeightsProgram, TakeTheBytesOfTheirBitsAndAgree) {
  const int64_t wide = SizeWith("work/wide.hone", {}), weights = 784 * 128;
  for (const auto& [bits, name, group] : {std::tuple(4, "int4", 32), std::tuple(8, "int8", 112)}) {
    const std::string file = fmt::format("work/{}.hone", name);
    const int64_t size = SizeWith(file, {"--weights", name, "--group", std::to_string(group)});
    const double expected = static_cast<double>(weights) * (4 - bits / 8.0) - static_cast<double>(weights) / group * 4;
    EXPECT_NEAR(static_cast<double>(wide - size), expected, 20000) << name;
    const ProgramResult verified = Run("verify", {Path(file)});
    EXPECT_EQ(verified.code, 0) << verified.out;
  }
}

// The error is measured against the build with float32 weights, for another machine's package too.
TEST_F(BlockWeightsProgram, TellWhatTheyMoveTheOutputsBy) {
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"-o", Path("work/p.hone"), "--no-records", "--json"});
    const ProgramResult built = Run("build", more);
    EXPECT_EQ(built.code, 0) << built.err;
    return ParseJson(built.out, "the report").value("weights_error", -1.0);
  };
  const double coarse = error({"--weights", "int4"}), fine = error({"--weights", "int8"});
  EXPECT_GT(fine, 1e-5);
  EXPECT_LT(fine, 1e-2);
  EXPECT_GT(coarse, 5 * fine);
  EXPECT_NEAR(error({"--weights", "int4", "--target", "x86-64-v2"}), coarse, 1e-5);
  EXPECT_GT(error({"--weights", "int8", "--activations", "int8"}), fine);
  EXPECT_EQ(error({}), -1);
  EXPECT_THAT(Run("build", {"--weights", "int8", "-o", Path("work/p.hone"), "--no-records"}).out,
              HasSubstr("integer weights move the outputs by up to "));
}

// The largest extents of the two inputs are no extents of a run, which needs equal ones.
TEST_F(BlockWeightsProgram, AreMeasuredAtExtentsThatARunTakes) {
  ModelMaker model;
  model.Input("a", {-1, 512}).Input("b", {-1, 512}).Filled("w", {512, 128}, 0.3F);
  model.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "m");
  model.Node("Add", {"a", "b"}, {"sum"}).Node("MatMul", {"sum", "w"}, {"y"}).Output("y");
  Write("work/m.onnx", model.Bytes());
  const ProgramResult built = Hone({"build", Path("work/m.onnx"), "--dim", "d0=2..8", "--dim", "m=2..4", "--weights",
                                    "int8", "-o", Path("work/m.hone"), "--no-records"});
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("integer weights move the outputs by up to "));
}

TEST_F(BlockWeightsProgram, AreTasksOfTheirOwn) {
  EXPECT_THAT(Run("inspect", {"--tasks", "--weights", "int4"}).out,
              HasSubstr("blocks=int4x32 dtype=float32,int32,float32,float32"));
  EXPECT_THAT(Run("inspect", {"--tasks", "--weights", "int8", "--group", "16", "--activations", "int8"}).out,
              HasSubstr("blocks=int8x16 dtype=float32,int32,int32,float32"));
  EXPECT_THAT(Run("inspect", {"--tasks", "--activations", "int8"}).out, Not(HasSubstr("dense_blocks")));
}

TEST_F(BlockWeightsProgram, MultiplyRowsOfBytesAndAgree) {
  SizeWith("work/rows.hone", {"--weights", "int8", "--activations", "int8"});
  const ProgramResult verified = Run("verify", {Path("work/rows.hone")});
  EXPECT_EQ(verified.code, 0) << verified.out;
}

TEST_F(BlockWeightsProgram, AreMissedInOneLine) {
  const ProgramResult built = Run("build", {"-o", Path("work/p.hone"), "--activations", "int8", "--no-records"});
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.err, HasSubstr("warning: --activations int8 changes nothing"));
}

TEST_F(BlockWeightsProgram, RefuseWhatDoesNotFit) {
  const ProgramResult group = Run("build", {"-o", Path("work/p.hone"), "--weights", "int4", "--group", "24"});
  EXPECT_EQ(group.code, 2);
  EXPECT_THAT(group.err, HasSubstr("--group 24 is no multiple of 16 from 16 to 65536"));
  const ProgramResult precision =
      Run("build", {"-o", Path("work/p.hone"), "--weights", "int4", "--precision", "bfloat16"});
  EXPECT_THAT(precision.err, HasSubstr("goes with --precision float32"));
  EXPECT_THAT(Files(), testing::IsEmpty());
}

}  // namespace
}  // namespace hone
