// The verdicts of `hone verify` on quantised models and on inputs that select elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kUInt8 = onnx::TensorProto::UINT8, kInt8 = onnx::TensorProto::INT8, kInt32 = onnx::TensorProto::INT32;

class VerifyProgram : public ProgramTest {
 protected:
  ProgramResult Verify(const std::string& more) const { return Shell("hone verify " + more); }
  void Build(const std::string& model, const std::string& package) const {
    const ProgramResult r = Shell("hone build " + model + " --no-records -o " + package);
    ASSERT_EQ(r.code, 0) << r.err;
  }
};

// A quantised product. The scale is 0.1 for x and w, and an even multiple of 0.01 for y. So many sums lie halfway
// between two of y's values, within float precision.
std::string QuantisedModel(float y_scale) {
  constexpr int64_t kRows = 64, kDepth = 64, kColumns = 32;
  Random random(1);
  std::vector<int> w;
  for (int64_t i = 0; i < kDepth * kColumns; ++i) w.push_back(static_cast<int>(random.Below(255)) - 127);
  ModelMaker model;
  model.Input("x", {kRows, kDepth}).Weight("xs", {}, {0.1F}).Integers("xz", kUInt8, {}, {3});
  model.Integers("w", kInt8, {kDepth, kColumns}, w).Weight("ws", {}, {0.1F}).Integers("wz", kInt8, {}, {0});
  model.Weight("ys", {}, {y_scale}).Integers("yz", kUInt8, {}, {100});
  model.Node("QuantizeLinear", {"x", "xs", "xz"}, {"xq"}).Node("DequantizeLinear", {"xq", "xs", "xz"}, {"xd"});
  model.Node("DequantizeLinear", {"w", "ws", "wz"}, {"wd"}).Node("MatMul", {"xd", "wd"}, {"sum"});
  model.Node("QuantizeLinear", {"sum", "ys", "yz"}, {"yq"}).Node("DequantizeLinear", {"yq", "ys", "yz"}, {"y"});
  return model.Output("y").Bytes();
}

// One pixel of a million in an image of ones and less, added to an input.
std::string SpikedModel() {
  Random random(1);
  std::vector<float> weight, spike(static_cast<size_t>(32 * 24 * 24), 0.0F);
  for (int i = 0; i < 32 * 32 * 9; ++i) weight.push_back(static_cast<float>(random.Normal() / 17));
  spike[5 * 24 + 7] = 1e6F;
  ModelMaker model;
  model.Input("x", {1, 32, 24, 24}).Weight("spike", {1, 32, 24, 24}, spike).Weight("w", {32, 32, 3, 3}, weight);
  model.Node("Add", {"x", "spike"}, {"s"});
  return model.Node("Conv", {"s", "w"}, {"y"}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}).Output("y").Bytes();
}

TEST_F(VerifyProgram, SaysWhatALargePixelDoesToItsNeighboursAndWhatKeepsThemRight) {
  Write("work/spike.onnx", SpikedModel());
  const ProgramResult fast = Verify("spike.onnx --no-records");
  if (Shell("hone build spike.onnx --no-records -o S.hone").out.find("conv2d_winograd") != std::string::npos) {
    EXPECT_EQ(fast.code, 1) << fast.out;
    EXPECT_THAT(fast.out, HasSubstr("element's error/allowed"));
    EXPECT_THAT(fast.out, HasSubstr("DIFFERS"));
  }
  const ProgramResult exact = Verify("spike.onnx --no-records --exact-layer y");
  EXPECT_EQ(exact.code, 0) << exact.out << exact.err;
  const ProgramResult unknown = Verify("spike.onnx --no-records --exact-layer z");
  EXPECT_EQ(unknown.code, 2) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("no convolution of that name"));
}

TEST_F(VerifyProgram, AllowsAQuantisedOutputTheStepsThatRoundingExplains) {
  Write("work/q.onnx", QuantisedModel(0.64F));
  for (const char* package : {"", "Q.hone"}) {
    if (*package != 0) Build("q.onnx", package);
    const ProgramResult r = Verify("q.onnx --no-records " + std::string(package));
    EXPECT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_THAT(r.out, HasSubstr("steps of 0.64")) << "no sum was rounded the other way, so nothing was decided";
    EXPECT_THAT(r.out, HasSubstr("agrees"));
    EXPECT_THAT(r.out, Not(HasSubstr("DIFFERS")));
  }
}

// The next question is whether a pass is to blame, so the suggested command must work as printed.
TEST_F(VerifyProgram, OfADifferenceTheNextCommandTriesABuildWithoutPasses) {
  Write("work/q.onnx", QuantisedModel(0.64F));
  Write("work/other.onnx", QuantisedModel(0.68F));
  Build("other.onnx", "P.hone");
  const ProgramResult differs = Verify("q.onnx P.hone --seed 5 --no-records");
  EXPECT_EQ(differs.code, 1) << differs.out << differs.err;
  const std::string next = NextOf(differs);
  EXPECT_THAT(next, testing::AllOf(testing::StartsWith("hone verify q.onnx "), HasSubstr(" --no-records"),
                                   HasSubstr(" --seed 5"), Not(HasSubstr("P.hone")), testing::EndsWith(" -O0")));
  const ProgramResult fresh = Shell(next);
  EXPECT_EQ(fresh.code, 0) << fresh.out << fresh.err;
  EXPECT_THAT(NextOf(fresh), testing::StartsWith("hone build "));
  const ProgramResult both = Verify("q.onnx P.hone -O0");
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("are for a package that is built anew"));
}

TEST_F(VerifyProgram, FindsAQuantisedPackageOfAnotherScale) {
  Write("work/q.onnx", QuantisedModel(0.64F));
  Write("work/other.onnx", QuantisedModel(0.68F));
  Build("other.onnx", "P.hone");
  const ProgramResult r = Verify("q.onnx P.hone");
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("steps of 0.64"));
  EXPECT_THAT(r.out, HasSubstr("DIFFERS"));
}

TEST_F(VerifyProgram, AllowsBFloat16WhatItsRoundingExplains) {
  const ProgramResult built = Shell("hone build zoo:dqn --classes 1000 --no-records --precision bfloat16 -o B.hone");
  if (built.code == 2) GTEST_SKIP() << built.err;
  ASSERT_EQ(built.code, 0) << built.err;
  const ProgramResult right = Verify("zoo:dqn --classes 1000 B.hone");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("rounding allows"));
  ASSERT_EQ(Shell("hone build zoo:dqn --classes 1000 --seed 2 --no-records --precision bfloat16 -o other.hone").code,
            0);
  const ProgramResult wrong = Verify("zoo:dqn --classes 1000 other.hone");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("DIFFERS"));
}

TEST_F(VerifyProgram, RefusesAPrecisionThatTheTargetLacks) {
  const ProgramResult r = Shell("hone build zoo:dqn --target x86-64-v3 --precision bfloat16 -o B.hone");
  EXPECT_EQ(r.code, 2) << r.out << r.err;
  EXPECT_THAT(r.err, HasSubstr("--precision bfloat16 needs a CPU that multiplies bfloat16"));
  EXPECT_THAT(r.err, HasSubstr("x86-64-v3"));
  EXPECT_FALSE(std::filesystem::exists(Path("work/B.hone")));
}

constexpr int kWords = 40;

// y[i] is ids[i] itself.
std::string Embedding(int words, int64_t ids) {
  std::vector<float> values;
  for (int i = 0; i < words; ++i) values.push_back(static_cast<float>(i));
  ModelMaker model;
  model.Weight("words", {words}, values).IntegerInput("ids", kInt32, {ids}).Node("Gather", {"words", "ids"}, {"y"});
  return model.Output("y").Bytes();
}

std::string IdsFile(const std::vector<int>& ids) {
  onnx::TensorProto proto;
  proto.set_data_type(kInt32);
  proto.add_dims(static_cast<int64_t>(ids.size()));
  for (const int id : ids) proto.add_int32_data(id);
  return proto.SerializeAsString();
}

TEST_F(VerifyProgram, DrawsIdsThatTheModelCanPick) {
  Write("work/two.onnx", Embedding(2, 64));
  const ProgramResult r = Verify("two.onnx --no-records");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  Write("work/many.onnx", Embedding(kWords, 64));
  Build("many.onnx", "P.hone");
  const ProgramResult run = Shell("hone run P.hone --output drawn && tail -c 256 drawn/y.npy | od -An -tf4 -v -w4");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("\n +[23][0-9]\n")) << "no id from 20 to 39 among 64";
}

TEST_F(VerifyProgram, RefusesIdsThatTheModelCannotPick) {
  Write("work/m.onnx", Embedding(kWords, 2));
  Write("work/ends.pb", IdsFile({-kWords, kWords - 1}));
  EXPECT_EQ(Verify("m.onnx --no-records --input ids=ends.pb").code, 0);
  for (const int wrong : {kWords, -kWords - 1}) {
    Write("work/wrong.pb", IdsFile({0, wrong}));
    const ProgramResult r = Verify("m.onnx --no-records --input ids=wrong.pb");
    EXPECT_EQ(r.code, 2) << r.out << r.err;
    EXPECT_THAT(r.err, HasSubstr("input \"ids\" holds " + std::to_string(wrong) + ", and picks from 40 elements"));
    EXPECT_THAT(r.err, HasSubstr("--input ids=FILE with numbers from 0 to 39"));
  }
}

TEST_F(VerifyProgram, HoldsEachPartOfAPlaceToItsOwnAxis) {
  ModelMaker model;
  model.IntegerInput("ids", kInt32, {4}).Filled("data", {40, 3, 5}, 1).Ints("pairs", {2, 2});
  model.Node("Reshape", {"ids", "pairs"}, {"places"})
      .Node("Cast", {"places"}, {"wide"}, {{"to", int64_t{onnx::TensorProto::INT64}}});
  model.Node("GatherND", {"data", "wide"}, {"y"}).Output("y");
  Write("work/m.onnx", model.Bytes());
  Write("work/right.pb", IdsFile({39, 2, -40, -3}));
  const ProgramResult right = Verify("m.onnx --no-records --input ids=right.pb");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  Write("work/wrong.pb", IdsFile({39, 2, 2, 39}));
  const ProgramResult wrong = Verify("m.onnx --no-records --input ids=wrong.pb");
  EXPECT_EQ(wrong.code, 2) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.err, HasSubstr("holds 39, and picks from 3 elements at place 3"));
}

// Other programs, such as ONNX Runtime, name a node's result rather than the node.
TEST_F(VerifyProgram, BisectsAgainstADumpByTheNamesOfResults) {
  ModelMaker model;
  model.Input("x", {2, 5}).Node("Softmax", {"x"}, {"/act/1"}).Node("Sqrt", {"/act/1"}, {"y"}).Output("y");
  model.graph().mutable_node(0)->set_name("/act/Softmax");
  Write("work/m.onnx", model.Bytes());
  Build("m.onnx", "P.hone");
  ASSERT_EQ(Shell("hone run P.hone --dump d && mkdir ort && cp d/0000_*Softmax.npy ort/_act_1.npy").code, 0);
  const ProgramResult r = Verify("m.onnx P.hone --bisect --against ort");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("/act/Softmax"));
  EXPECT_THAT(r.out, HasSubstr("0.00e+00"));
}

// --dim and --shape for several models go to those that have the name.
TEST_F(VerifyProgram, OptionsForSeveralModelsGoToThoseThatHaveTheName) {
  const auto relu = [](std::vector<int64_t> dims) {
    return ModelMaker().Input("x", dims).Node("Relu", {"x"}, {"y"}).Output("y").Bytes();
  };
  Write("work/free.onnx", relu({1, -1}));
  Write("work/fixed.onnx", relu({1, 4}));
  const std::string bench = "hone bench --any-model --no-records --threads 1 --runs 3 free.onnx fixed.onnx zoo:mlp ";
  const ProgramResult r = Shell(bench + "--dim d1=4");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Shell("hone report fixed.onnx free.onnx --dim d1=4 --db none.db -o r.html").code, 0);
  const ProgramResult wrong = Shell(bench + "--dim d2=4");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("free.onnx: --dim d2: the model's free dimensions are d1; did you mean d1?"));
}

TEST_F(VerifyProgram, ABatchThatTheModelHasFixedWithinNamesTheExport) {
  Write("work/baked.onnx",
        ModelMaker().Input("x", {1, 4}).Ints("s", {4, 1}).Node("Reshape", {"x", "s"}, {"y"}).Output("y").Bytes());
  const ProgramResult r = Shell("hone build baked.onnx --shape x=8,4 -o p.hone");
  EXPECT_EQ(r.code, 65);
  EXPECT_THAT(r.err, HasSubstr("the model has this size fixed within, which --shape does not change: an export with "
                               "dynamic_axes would be right\n"));
}

// A sine of large angles: the last place of an input moves the output by up to a quarter.
std::string AmplifyingModel(float factor) {
  ModelMaker model;
  model.Input("x", {1, 64}).Weight("factor", {}, {factor}).Node("Mul", {"x", "factor"}, {"angle"});
  return model.Node("Sin", {"angle"}, {"y"}).Output("y").Bytes();
}

TEST_F(VerifyProgram, SaysWhenRoundingMovesTheModelAsMuch) {
  Write("work/m.onnx", AmplifyingModel(1e6F));
  Write("work/near.onnx", AmplifyingModel(std::nextafter(1e6F, 2e6F)));
  Write("work/far.onnx", AmplifyingModel(1.5e6F));
  EXPECT_EQ(Verify("m.onnx --no-records").code, 0);
  Build("near.onnx", "near.hone");
  Build("far.onnx", "far.hone");
  const ProgramResult near = Verify("m.onnx near.hone");
  EXPECT_EQ(near.code, 1);
  EXPECT_THAT(near.out, HasSubstr("inputs' rounding moves it"));
  EXPECT_THAT(near.out, HasSubstr("cannot tell whether the outputs agree"));
  EXPECT_THAT(near.out, Not(HasSubstr("the outputs differ")));
  const ProgramResult far = Verify("m.onnx far.hone");
  EXPECT_EQ(far.code, 1);
  EXPECT_THAT(far.out, HasSubstr("the outputs differ"));
  EXPECT_THAT(Verify("m.onnx near.hone --json").out, HasSubstr("\"finding\":\"cannot tell\""));
}

}  // namespace
}  // namespace hone
