// Packages that leave extents to each run: one package serves every length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json_fields.h"
#include "lab/files/npy.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/support/page_session.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Rows of x that add to b's; a count of each run tells the rows of the output.
constexpr const char* kRows =
    "def @main(%x: Tensor[(6, 8), float32], %b: Tensor[(6, 8), float32], %rows: int64, ranged=[0, 0, 2, 1, 1, 0, 2, "
    "1], "
    "counted=[0, 0, 1, 6]) -> (Tensor[(6, 8), float32], int64) {\n"
    "  %0 = add(%x, %b);\n"
    "  %1 = nn.relu(%0);\n"
    "  %2 = add(%rows, 0i64);\n"
    "  (%1, %2)\n"
    "}\n";

class RangesProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    Write("work/m.relay", kRows);
    const ProgramResult built = Shell("hone build m.relay --no-records -o p.hone");
    ASSERT_EQ(built.code, 0) << built.err;
    EXPECT_THAT(built.out, HasSubstr("free in each run: rows 1..6\n"));
  }
  Tensor WriteInput(const std::string& name, int64_t rows) const {
    Tensor tensor(DType::kFloat32, {rows, 8});
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i % 7) - 3);
    WriteNpy(tensor, Path("work/" + name));
    return tensor;
  }
  void ExpectRefused(const std::string& line, int code, const std::string& err) const {
    const ProgramResult result = Shell(line);
    EXPECT_EQ(result.code, code) << line;
    EXPECT_EQ(result.err, "hone: " + err + "\n") << line;
  }
};

TEST_F(RangesProgram, LengthsNeedAFreeDimension) {
  Write("work/lengths", "4 10\n");
  const ProgramResult refused = Shell(
      "hone zoo mlp --image-shape 1,14,14 -o mlp.onnx; "
      "hone build mlp.onnx --no-records --lengths lengths -o q.hone");
  EXPECT_EQ(refused.code, 65);
  EXPECT_THAT(refused.err, HasSubstr("lengths of runs are given, but the model has no free dimension"));
  EXPECT_EQ(Shell("hone build m.relay --no-records --lengths lengths -o q.hone").code, 0);
}

TEST_F(RangesProgram, RunInputsOfEachLength) {
  for (const int64_t rows : {1, 3, 6}) {
    const Tensor x = WriteInput("x.npy", rows), b = WriteInput("b.npy", rows);
    const ProgramResult ran = Shell("hone run p.hone --input x=x.npy --input b=b.npy --output y");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(" " + std::to_string(rows) + "x8 float32"));
    std::string file;
    for (const std::string& each : Files()) file = each.starts_with("work/y/") ? each : file;
    const Tensor y = ReadNpy(Path(file));
    ASSERT_EQ(y.shape(), x.shape());
    for (int64_t i = 0; i < y.elements(); ++i) EXPECT_EQ(y.At(i), std::max(0.0, 2 * x.At(i)));
    const std::string dim = " --dim rows=" + std::to_string(rows);
    EXPECT_THAT(Shell("hone run p.hone --fill random" + dim).out, HasSubstr(" " + std::to_string(rows) + "x8 float32"));
    EXPECT_THAT(Shell("hone run p.hone --input b=b.npy").out, HasSubstr(" " + std::to_string(rows) + "x8 float32"));
  }
  EXPECT_THAT(Shell("hone run p.hone --shape x=2,8").out, HasSubstr(" 2x8 float32"));
  EXPECT_THAT(Shell("hone run p.hone").out, HasSubstr(" 6x8 float32"));
}

TEST_F(RangesProgram, RefuseWhatDoesNotFit) {
  WriteInput("x.npy", 7);
  WriteInput("three.npy", 3);
  WriteInput("four.npy", 4);
  ExpectRefused("hone run p.hone --input x=x.npy", 65, "x.npy: the dimension rows is 7; it may be 1 to 6");
  ExpectRefused("hone run p.hone --dim rows=7", 65, "--dim rows=7: the dimension rows is 7; it may be 1 to 6");
  ExpectRefused("hone run p.hone --input x=three.npy --input b=four.npy", 65,
                "the dimension rows is 3 by three.npy and 4 by four.npy; one number would be right");
  ExpectRefused("hone run p.hone --dim row=3", 2,
                "--dim row=3: the package's free dimensions are rows 1..6; did you mean rows?");
  ExpectRefused("hone run p.hone --shape x=3,9", 2,
                "--shape asks for \"x\" 3x9; the package was built for (rows: 1..6)x8, and `hone build MODEL "
                "--shape x=3,9 -o P.hone` builds one");
  const ProgramResult aot = Shell("hone package export p.hone --c --executor aot -o c");
  EXPECT_EQ(aot.code, 2);
  EXPECT_THAT(aot.err, HasSubstr("the package leaves the dimension rows to each run"));
}

TEST_F(RangesProgram, AreTimedAndComparedAtLengths) {
  EXPECT_THAT(Shell("hone bench p.hone --runs 10 --dim rows=2").out, HasSubstr("p.hone was timed at rows=2\n"));
  EXPECT_THAT(Shell("hone bench p.hone --runs 10").out, HasSubstr("p.hone was timed at rows=6\n"));
  // The package may come behind the dimension.
  for (const char* command : {"bench --runs 3", "profile --runs 3", "run"}) {
    EXPECT_EQ(Shell(std::string("hone ") + command + " --dim rows=2 p.hone").code, 0) << command;
  }
  // A package or a model without the dimension runs beside it.
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o f.onnx && hone build f.onnx --no-records -o f.hone").code, 0);
  for (const char* other : {"f.hone", "f.onnx"}) {
    const ProgramResult beside =
        Shell(std::string("hone bench --any-model --runs 3 p.hone ") + other + " --dim rows=2 2>&1");
    EXPECT_EQ(beside.code, 0) << beside.out;
    EXPECT_THAT(beside.out, HasSubstr("p.hone was timed at rows=2\n"));
  }
  ExpectRefused("hone bench --any-model p.hone f.hone --dim row=2", 2,
                "--dim row=2: no package has a free dimension of the name; they have rows; did you mean rows?");
  EXPECT_THAT(Shell("hone bench m.relay --no-records --runs 10 --dim rows=3").out, HasSubstr("timed at rows=3\n"));
  const Json bench = ParseJson(Shell("hone bench p.hone --runs 10 --dim rows=2 --json").out, "the times");
  EXPECT_EQ(bench.at("packages").at(0).at("extents"), Json({{"rows", 2}}));
  EXPECT_EQ(bench.at("packages").at(0).at("images"), 2);
  EXPECT_THAT(Shell("hone profile p.hone --runs 10 --dim rows=2").out, HasSubstr(" at rows=2\n"));
  for (const char* package : {"", " p.hone"}) {
    const ProgramResult verified = Shell(std::string("hone verify m.relay") + package);
    EXPECT_EQ(verified.code, 0) << verified.err;
    EXPECT_THAT(verified.out,
                AllOf(HasSubstr(" at rows=1 "), HasSubstr(" at rows=6 "), HasSubstr("the outputs agree")));
  }
  EXPECT_EQ(Shell("hone verify m.relay p.hone --bisect").code, 0);
}

TEST_F(RangesProgram, TellTheirRanges) {
  EXPECT_THAT(Shell("hone package info p.hone").out, HasSubstr("input    x (rows: 1..6)x8 float32\n"));
  EXPECT_EQ(ParseJson(Shell("hone package info p.hone --json").out, "the package").at("ranges"),
            Json({{"rows", {1, 6}}}));
  EXPECT_THAT(Shell("hone inspect m.relay").out, AllOf(HasSubstr("input   x  Tensor[((rows: 1..6), 8), float32]\n"),
                                                       testing::Not(HasSubstr("input   rows"))));
}

// The words of a vocabulary by their numbers, multiplied by a matrix.
std::string EncoderBytes() {
  ModelMaker model(17);
  model.IntegerInput("ids", 7, {1, -1}).Weight("words", {20, 16}, std::vector<float>(320, 0.5F));
  model.Weight("weight", {16, 16}, std::vector<float>(256, 0.25F));
  auto* shape = model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(1)->clear_dim_value();
  shape->mutable_dim(1)->set_dim_param("seq");
  model.Node("Gather", {"words", "ids"}, {"word"}).Node("MatMul", {"word", "weight"}, {"hidden"});
  return model.Output("hidden").Bytes();
}

// Rows that a split takes in two parts, of which one has three.
std::string SplitBytes() {
  ModelMaker model(17);
  model.Input("x", {-1, 2}).Input("n", {1, 2}).Ints("axis", {0}).Ints("from", {3}).Ints("far", {100});
  auto* shape = model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("n");
  model.Ints("sizes", {3}).Node("TopK", {"x", "sizes"}, {"best", "where"}, {{"axis", int64_t{0}}});
  model.Node("Concat", {"best", "x", "x"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  return model.Bytes();
}

TEST_F(RangesProgram, NameWhatARunDoesNotTake) {
  Write("work/split.onnx", SplitBytes());
  ASSERT_EQ(Shell("hone build split.onnx --no-records --dim n=1..8 -o s.hone").code, 0);
  ExpectRefused("hone run s.hone --dim n=2", 65, "node \"best\": n - 3 is -1 in a run of n=2; it may be 0 to 8");
  EXPECT_THAT(Shell("hone package info s.hone").out, AllOf(HasSubstr("input    x (n: 1..8)x2 float32\n"),
                                                           HasSubstr("output   y (2 * n + 3: 0..19)x2 float32\n")));
  const ProgramResult verified = Shell("hone verify split.onnx s.hone --dim n=1..8");
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("lengths that no run takes: n=1\n"), HasSubstr(" at n=4 "),
                                  HasSubstr(" at n=8 "), HasSubstr("the outputs agree")));
}

TEST_F(RangesProgram, AreComparedByTheNamesOfUnnamedDimensions) {
  ModelMaker model(17);
  model.Input("x", {1, -1}).Node("Tanh", {"x"}, {"y"}).Output("y");
  auto* shape = model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(1)->clear_dim_param();
  Write("work/free.onnx", model.Bytes());
  model.graph().mutable_input(0)->set_name("other");
  model.graph().mutable_node(0)->set_input(0, "other");
  Write("work/other.onnx", model.Bytes());
  const ProgramResult result = Shell(
      "hone bench --any-model --no-records --threads 1 --runs 3 free.onnx other.onnx --dim x_1=7 --dim other_1=9 2>&1");
  EXPECT_EQ(result.code, 0) << result.out;
}

TEST_F(RangesProgram, DoWhatTheirPageShows) {
  Write("work/rows.relay", kRows);
  ExpectSaysWhatItShows(HONE_SOURCE_DIR "/docs/howto/shapes.md", 6,
                        [this](const std::string& line) { return Shell(line); });
}

TEST_F(RangesProgram, MakePackagesForSizesBesideARange) {
  Write("work/encoder.onnx", EncoderBytes());
  const ProgramResult built = Shell("hone build encoder.onnx --no-records --dim seq=4,9 -o two.hone");
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, AllOf(HasSubstr("ids 1x4\n"), HasSubstr("ids 1x9\n"), HasSubstr("2 packages")));
  ASSERT_EQ(Shell("hone build encoder.onnx --no-records --dim seq=10..20 -o range.hone").code, 0);
  ASSERT_EQ(Shell("hone package join two.hone range.hone -o all.hone").code, 0);
  for (const char* length : {"4", "9", "10", "15", "20"}) {
    const ProgramResult ran = Shell(std::string("hone run all.hone --shape ids=1,") + length);
    EXPECT_THAT(ran.out, HasSubstr(std::string("hidden 1x") + length + "x16 float32")) << ran.err;
  }
  EXPECT_EQ(Shell("hone run all.hone --shape ids=1,5").err,
            "hone: all.hone was built for ids 1x(seq: 10..20); ids 1x4; ids 1x9; not for ids 1x5\n");
  EXPECT_EQ(Shell("hone verify encoder.onnx all.hone --dim seq=12").code, 0);
  EXPECT_EQ(Shell("hone verify encoder.onnx range.hone --dim seq=21").code, 65);
}

}  // namespace
}  // namespace hone
