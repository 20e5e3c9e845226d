// Reductions, normalizations and searches that become chains of simpler operators.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
using Ints = std::vector<int64_t>;

Tensor Reals(const Shape& shape, const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, shape, values);
}

std::vector<float> RunOn(const std::string& op, const Tensor& x, const Attributes& attributes = {},
                         int64_t opset = 13) {
  ModelMaker model(opset);
  model.Input("x", x.shape()).Node(op, {"x"}, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", x}})[0]);
}

const Tensor kX = Reals({2, 2}, {3, -4, 0, 2});

TEST(OnnxReduce, ComputesNormsAndLogarithms) {
  const Attributes rows{{"axes", Ints{1}}, {"keepdims", int64_t{0}}};
  EXPECT_THAT(RunOn("ReduceL1", kX, rows), ElementsAre(7, 2));
  EXPECT_THAT(RunOn("ReduceL2", kX, rows), ElementsAre(5, 2));
  EXPECT_THAT(RunOn("ReduceSumSquare", kX, rows), ElementsAre(25, 4));
  EXPECT_THAT(RunOn("ReduceProd", kX, rows), ElementsAre(-12, 0));
  EXPECT_THAT(RunOn("ReduceMin", kX, rows), ElementsAre(-4, 0));
  EXPECT_THAT(RunOn("ReduceLogSum", Reals({2}, {3, 4})), ElementsAre(FloatNear(std::log(7.0F), 1e-6F)));
}

TEST(OnnxReduce, TruncatesTheNormOfIntegers) {
  ModelMaker model(18);
  model.IntegerInput("x", 6, {3}).Node("ReduceL2", {"x"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Typed(DType::kInt32, {3}, {2, 2, -3})}})[0];
  EXPECT_EQ(y.dtype(), DType::kInt32);
  EXPECT_EQ(y.At(0), 4);
}

TEST(OnnxReduce, LogSumExpNeitherOverflowsNorLosesInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = Reals({3, 2}, {1000, 1000, -inf, -inf, 1, inf});
  EXPECT_THAT(RunOn("ReduceLogSumExp", x, {{"axes", Ints{-1}}, {"keepdims", int64_t{0}}}),
              ElementsAre(FloatNear(1000.6931F, 1e-3F), -inf, inf));
}

TEST(OnnxReduce, DoesNothingOverNoAxesWhenToldSo) {
  const Attributes nothing{{"noop_with_empty_axes", int64_t{1}}};
  EXPECT_THAT(RunOn("ReduceSumSquare", kX, nothing, 18), ElementsAre(9, 16, 0, 4));
  EXPECT_THAT(RunOn("ReduceLogSumExp", kX, nothing, 18), ElementsAre(3, -4, 0, 2));
}

TEST(OnnxReduce, OfAShapeIsKnownAtImport) {
  ModelMaker model(13);
  model.Input("x", {2, 3, 4}).Node("Shape", {"x"}, {"s"});
  model.Node("ReduceProd", {"s"}, {"n"}, {{"keepdims", int64_t{1}}}).Node("Reshape", {"x", "n"}, {"y"}).Output("y");
  EXPECT_EQ(RunOnnx(model.Bytes(), {{"x", Counting({2, 3, 4})}})[0].shape(), Shape{24});
}

TEST(OnnxSearch, FindsSumsAndMarksPositions) {
  EXPECT_THAT(RunOn("ArgMax", kX, {{"axis", int64_t{1}}}), ElementsAre(0, 1));
  EXPECT_THAT(RunOn("Hardmax", kX), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(RunOn("Hardmax", Reals({2, 2, 1}, {3, -4, 0, 2}), {}, 11), ElementsAre(1, 0, 0, 1));
  const auto cumulated = [&](const Attributes& attributes) {
    ModelMaker model(14);
    model.Input("x", {4}).Ints("a", {0}).Node("CumSum", {"x", "a"}, {"y"}, attributes).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Counting({4})}})[0]);
  };
  EXPECT_THAT(cumulated({}), ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(cumulated({{"exclusive", int64_t{1}}}), ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(cumulated({{"reverse", int64_t{1}}}), ElementsAre(6, 6, 5, 3));
  EXPECT_THAT(cumulated({{"reverse", int64_t{1}}, {"exclusive", int64_t{1}}}), ElementsAre(6, 5, 3, 0));
}

TEST(OnnxSearch, FindsProducts) {
  const auto cumulated = [](const Attributes& attributes) {
    ModelMaker model(26);
    model.Input("x", {4}).Ints("a", {-1}).Node("CumProd", {"x", "a"}, {"y"}, attributes).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Reals({4}, {2, 3, 4, 5})}})[0]);
  };
  EXPECT_THAT(cumulated({}), ElementsAre(2, 6, 24, 120));
  EXPECT_THAT(cumulated({{"reverse", int64_t{1}}, {"exclusive", int64_t{1}}}), ElementsAre(60, 20, 5, 1));
}

TEST(OnnxSearch, PutsTheBestInOrder) {
  const auto best = [](const Tensor& x, int64_t k, const Attributes& attributes) {
    ModelMaker model(13);
    model.Input("x", x.shape()).Ints("k", {k}).Node("TopK", {"x", "k"}, {"v", "i"}, attributes);
    return RunOnnx(model.Output("v").Output("i").Bytes(), {{"x", x}});
  };
  const Tensor x = Reals({2, 4}, {3, 9, 1, 9, 0, 2, 1, 3});
  EXPECT_THAT(Values(best(x, 3, {})[0]), ElementsAre(9, 9, 3, 3, 2, 1));
  EXPECT_THAT(Values(best(x, 3, {})[1]), ElementsAre(1, 3, 0, 3, 1, 2));
  EXPECT_THAT(Values(best(x, 1, {{"largest", int64_t{0}}})[1]), ElementsAre(2, 0));
  EXPECT_THAT(Values(best(x, 1, {{"axis", int64_t{0}}})[1]), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Values(best(Counting({100}), 60, {})[1]), AllOf(SizeIs(60), Contains(99), Not(Contains(39))));
  EXPECT_EQ(best(x, 0, {})[0].shape(), (Shape{2, 0}));
  EXPECT_EQ(best(x, 0, {})[1].shape(), (Shape{2, 0}));
  ModelMaker model(13);
  model.Input("x", {2}).Ints("k", {3}).Node("TopK", {"x", "k"}, {"v", "i"}).Output("v");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("k is 3, the axis has 2"));
}

TEST(OnnxNormalization, OfGroupsTakesValuesPerGroupAndPerChannel) {
  const auto of_groups = [](int64_t opset, const std::vector<float>& scale) {
    const auto n = static_cast<int64_t>(scale.size());
    ModelMaker model(opset);
    model.Input("x", {1, 4, 1}).Weight("s", {n}, scale).Filled("b", {n}, 10);
    model.Node("GroupNormalization", {"x", "s", "b"}, {"y"}, {{"num_groups", int64_t{2}}, {"epsilon", 0.0}});
    model.Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 4, 1})}})[0]);
  };
  EXPECT_THAT(of_groups(18, {1, 2}), ElementsAre(9, 11, 8, 12));
  EXPECT_THAT(of_groups(21, {1, 2, 3, 4}), ElementsAre(9, 12, 7, 14));
}

TEST(OnnxNormalization, BySizeAndBySquares) {
  EXPECT_THAT(RunOn("LpNormalization", Reals({2, 2}, {3, -4, 0, 0})), ElementsAre(0.6F, -0.8F, 0, 0));
  EXPECT_THAT(RunOn("LpNormalization", Reals({2}, {1, -3}), {{"p", int64_t{1}}}), ElementsAre(0.25F, -0.75F));
  ModelMaker model(23);
  model.Input("x", {1, 2}).Weight("s", {2}, {1, 10});
  model.Node("RMSNormalization", {"x", "s"}, {"y"}, {{"epsilon", 0.5}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 2})}})[0]), ElementsAre(0, 10));
  EXPECT_THAT(RunOn("MeanVarianceNormalization", Reals({1, 1, 1, 2}, {2, 6})), ElementsAre(-1, 1));
}

TEST(OnnxPooling, ByPowers) {
  const Tensor x = Reals({1, 1, 2, 2}, {3, -4, 0, 12});
  EXPECT_THAT(RunOn("GlobalLpPool", x), ElementsAre(13));
  EXPECT_THAT(RunOn("GlobalLpPool", x, {{"p", int64_t{1}}}), ElementsAre(19));
  EXPECT_THAT(RunOn("LpPool", x, {{"kernel_shape", Ints{1, 2}}}), ElementsAre(5, 12));
  EXPECT_THAT(RunOn("LpPool", x, {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 0, 0}}}), ElementsAre(3, 5, 3, 13));
}

TEST(OnnxReduction, RefusesWhatItCannotDo) {
  ModelMaker norm, groups(18);
  norm.Input("x", {2}).Node("LpNormalization", {"x"}, {"y"}, {{"p", int64_t{3}}}).Output("y");
  EXPECT_THAT(ImportError(norm.Bytes()), HasSubstr("p is 3; 1 and 2 are supported"));
  groups.Input("x", {1, 3, 2}).Filled("s", {2}, 1);
  groups.Node("GroupNormalization", {"x", "s", "s"}, {"y"}, {{"num_groups", int64_t{2}}}).Output("y");
  EXPECT_THAT(ImportError(groups.Bytes()), HasSubstr("num_groups is 2; it must divide the channels of 1x3x2"));
}

}  // namespace
}  // namespace hone
