// The result of each operator where versions of ONNX differ or the conversion is more than a rename.
#include <gmock/gmock.h>

#include <limits>

#include "compiler/relay/visitor.h"
#include "core/tensor.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

// One node on x = 0, 1, 2, ...; further inputs are integer initializers.
std::vector<float> RunNode(int64_t opset, const std::string& op, const Shape& shape,
                           const std::vector<std::pair<std::string, TestAttribute>>& attributes,
                           const std::vector<Ints>& ints = {}) {
  ModelMaker model(opset);
  model.Input("x", shape);
  std::vector<std::string> inputs = {"x"};
  for (const Ints& each : ints) {
    inputs.push_back("i" + std::to_string(inputs.size()));
    model.Ints(inputs.back(), each);
  }
  model.Node(op, inputs, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", Counting(shape)}})[0]);
}

relay::Attrs AttrsOf(const std::string& bytes, std::string_view op) {
  relay::Attrs attrs;
  relay::PostOrderVisit(ImportOnnxBytes(bytes, "m").module.main, [&](const relay::ExprPtr& expr) {
    if (const relay::Call* call = relay::AsCallTo(expr, op)) attrs = call->attrs;
  });
  return attrs;
}

Ints PaddingOf(const std::string& op, const Shape& data,
               const std::vector<std::pair<std::string, TestAttribute>>& attrs) {
  ModelMaker model;
  model.Input("x", data).Node(op, {"x"}, {"y"}, attrs).Output("y");
  return AttrsOf(model.Bytes(), op == "MaxPool" ? "nn.max_pool2d" : "nn.avg_pool2d").GetInts("padding");
}

TEST(OnnxWindow, AutoPadPutsTheOddRestAtTheEndItNames) {
  const Ints two{2, 2};
  EXPECT_EQ(PaddingOf("MaxPool", {1, 1, 5, 5}, {{"kernel_shape", two}, {"auto_pad", "SAME_UPPER"}}),
            (Ints{0, 0, 1, 1}));
  EXPECT_EQ(PaddingOf("MaxPool", {1, 1, 5, 5}, {{"kernel_shape", two}, {"auto_pad", "SAME_LOWER"}}),
            (Ints{1, 1, 0, 0}));
  EXPECT_EQ(PaddingOf("MaxPool", {1, 1, 5, 5}, {{"kernel_shape", two}, {"auto_pad", "VALID"}}), (Ints{0, 0, 0, 0}));
}

TEST(OnnxWindow, RoundingUpBecomesPaddingUnlessTheWindowWouldBeginInIt) {
  const Ints two{2, 2};
  const auto padding = [&](int64_t size, const Ints& pads) {
    return PaddingOf("MaxPool", {1, 1, size, size},
                     {{"kernel_shape", two}, {"strides", two}, {"pads", pads}, {"ceil_mode", int64_t{1}}});
  };
  EXPECT_EQ(padding(5, {0, 0, 0, 0}), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(padding(4, {0, 0, 0, 0}), (Ints{0, 0, 0, 0}));
  EXPECT_EQ(padding(4, {0, 0, 1, 1}), (Ints{0, 0, 1, 1}));
}

TEST(OnnxPooling, CountsPaddingOnlyWhenAsked) {
  const Ints two{2, 2}, pads{1, 1, 0, 0};
  EXPECT_THAT(RunNode(13, "AveragePool", {1, 1, 2, 2}, {{"kernel_shape", two}, {"strides", two}, {"pads", pads}}),
              ElementsAre(0));
  EXPECT_THAT(RunNode(13, "AveragePool", {1, 1, 1, 2},
                      {{"kernel_shape", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}, {"count_include_pad", int64_t{1}}}),
              ElementsAre(0, 0.5F, 0.5F));
}

//   pads 1 and 0, kernel 2, stride 2 over 0 1 2 3     . 0 | 1 2 | 3
TEST(OnnxPooling, RoundsUpBeyondPaddingThatCounts) {
  const auto means = [](int64_t counts) {
    return RunNode(19, "AveragePool", {1, 1, 1, 4},
                   {{"kernel_shape", Ints{1, 2}},
                    {"strides", Ints{1, 2}},
                    {"pads", Ints{0, 1, 0, 0}},
                    {"ceil_mode", int64_t{1}},
                    {"count_include_pad", counts}});
  };
  EXPECT_THAT(means(1), ElementsAre(0, 1.5F, 3));
  EXPECT_THAT(means(0), ElementsAre(0, 1.5F, 3));
  EXPECT_THAT(RunNode(19, "AveragePool", {1, 1, 2, 3},
                      {{"kernel_shape", Ints{2, 2}},
                       {"strides", Ints{2, 2}},
                       {"pads", Ints{1, 0, 0, 0}},
                       {"ceil_mode", int64_t{1}},
                       {"count_include_pad", int64_t{1}}}),
              ElementsAre(0.25F, 1, 3.5F, 5));
}

// A window of four reaches one element beyond the three.
TEST(OnnxPooling, RoundsUpToOneWindowThatIsLongerThanTheData) {
  EXPECT_THAT(RunNode(19, "AveragePool", {1, 1, 1, 3},
                      {{"kernel_shape", Ints{1, 4}}, {"strides", Ints{1, 2}}, {"ceil_mode", int64_t{1}}}),
              ElementsAre(1));
}

TEST(OnnxSoftmax, JoinsTrailingAxesBeforeOpset13) {
  const auto joined = RunNode(11, "Softmax", {1, 2, 2}, {});
  EXPECT_FLOAT_EQ(joined[0] + joined[1] + joined[2] + joined[3], 1);
  const auto last = RunNode(13, "Softmax", {1, 2, 2}, {});
  EXPECT_FLOAT_EQ(last[0] + last[1], 1);
}

TEST(OnnxClip, TakesBoundsFromAttributesThenInputs) {
  EXPECT_THAT(RunNode(7, "Clip", {4}, {{"min", 1.0}, {"max", 2.0}}), ElementsAre(1, 1, 2, 2));
  ModelMaker model(13);
  model.Input("x", {4}).Weight("hi", {}, {2}).Node("Clip", {"x", "", "hi"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({4})}})[0]), ElementsAre(0, 1, 2, 2));
}

// Folded as a constant; an input would be clipped as a double.
TEST(OnnxClip, HoldsIntegersThatADoubleDoesNot) {
  constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
  const auto clipped = [](int64_t low, int64_t high, int64_t value) {
    ModelMaker model(13);
    model.Ints("lo", {low}).Ints("hi", {high}).Ints("x", {value}).Input("z", {1});
    model.Node("Clip", {"x", "lo", "hi"}, {"y"}).Output("y").Output("z");
    return IntegerAt(RunOnnx(model.Bytes(), {{"z", Counting({1})}})[0], 0);
  };
  EXPECT_EQ(clipped(0, INT64_MAX, 5), 5);
  EXPECT_EQ(clipped(0, INT64_MAX, -5), 0);
  EXPECT_EQ(clipped(kLarge, INT64_MAX, 5), kLarge);
  EXPECT_EQ(clipped(INT64_MIN, -kLarge, 5), -kLarge);
}

TEST(OnnxClip, HoldsInfinitiesWithinTheLargestFloats) {
  constexpr float kMost = std::numeric_limits<float>::max();
  ModelMaker model(13);
  model.Input("x", {2}).Weight("lo", {}, {-kMost}).Weight("hi", {}, {kMost});
  model.Node("Clip", {"x", "lo", "hi"}, {"y"}).Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {2}, {-INFINITY, INFINITY});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), ElementsAre(-kMost, kMost));
  ModelMaker old(6);
  old.Input("x", {2}).Node("Clip", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(old.Bytes(), {{"x", x}})[0]), ElementsAre(-kMost, kMost));
}

TEST(OnnxConstants, OfIntegersAreFoldedAsIntegers) {
  constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
  const auto folded = [](const std::string& op, const std::vector<std::pair<std::string, TestAttribute>>& attributes) {
    ModelMaker model(13);
    model.Ints("x", {kLarge, -kLarge, 1}).Input("z", {1});
    model.Node(op, {"x"}, {"y"}, attributes).Output("y").Output("z");
    const Tensor result = RunOnnx(model.Bytes(), {{"z", Counting({1})}})[0];
    Ints values;
    for (int64_t i = 0; i < result.elements(); ++i) values.push_back(IntegerAt(result, i));
    return values;
  };
  EXPECT_THAT(folded("Neg", {}), ElementsAre(-kLarge, kLarge, -1));
  EXPECT_THAT(folded("Abs", {}), ElementsAre(kLarge, kLarge, 1));
  EXPECT_THAT(folded("Cast", {{"to", int64_t{6}}}), ElementsAre(1, -1, 1));
  EXPECT_THAT(folded("ReduceMax", {}), ElementsAre(kLarge));
  EXPECT_THAT(folded("ReduceMin", {}), ElementsAre(-kLarge));
  EXPECT_THAT(folded("ReduceSum", {}), ElementsAre(1));
}

TEST(OnnxRange, CountsIntegersThatADoubleDoesNotHold) {
  constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
  ModelMaker model(13);
  model.Ints("from", {kLarge}).Ints("to", {kLarge + 5}).Ints("by", {2}).Input("z", {1});
  model.Node("Range", {"from", "to", "by"}, {"y"}).Output("y").Output("z");
  const Tensor range = RunOnnx(model.Bytes(), {{"z", Counting({1})}})[0];
  ASSERT_EQ(range.elements(), 3);
  EXPECT_EQ(IntegerAt(range, 0), kLarge);
  EXPECT_EQ(IntegerAt(range, 2), kLarge + 4);
}

TEST(OnnxPad, PadsWithIntegersThatADoubleDoesNotHold) {
  ModelMaker model(13);
  model.Ints("x", {INT64_MIN + 1}).Ints("pads", {1, 1}).Ints("with", {INT64_MAX}).Input("z", {1});
  model.Node("Pad", {"x", "pads", "with"}, {"y"}).Output("y").Output("z");
  const Tensor padded = RunOnnx(model.Bytes(), {{"z", Counting({1})}})[0];
  EXPECT_EQ(IntegerAt(padded, 0), INT64_MAX);
  EXPECT_EQ(IntegerAt(padded, 1), INT64_MIN + 1);
}

TEST(OnnxSlice, ClampsCountsFromTheEndAndGoesBackwards) {
  EXPECT_THAT(RunNode(7, "Slice", {6}, {{"starts", Ints{-3}}, {"ends", Ints{100}}}), ElementsAre(3, 4, 5));
  EXPECT_THAT(RunNode(13, "Slice", {6}, {}, {{4}, {INT64_MIN}, {0}, {-2}}), ElementsAre(4, 2, 0));
  EXPECT_THAT(RunNode(13, "Slice", {6}, {}, {{1}, {INT64_MAX}, {-1}, {2}}), ElementsAre(1, 3, 5));
}

TEST(OnnxSlice, TakesStepsLongerThanAnyAxis) {
  EXPECT_THAT(RunNode(13, "Slice", {4}, {}, {{1}, {INT64_MAX}, {0}, {INT64_MAX}}), ElementsAre(1));
  EXPECT_THAT(RunNode(13, "Slice", {4}, {}, {{2}, {INT64_MIN}, {0}, {INT64_MIN}}), ElementsAre(2));
}

TEST(OnnxSqueeze, TakesAxesFromAttributeInputOrNone) {
  for (const auto& [opset, attrs, ints] :
       {std::tuple<int64_t, std::vector<std::pair<std::string, TestAttribute>>, std::vector<Ints>>{
            11, {{"axes", Ints{0, -1}}}, {}},
        {13, {}, {{0, 2}}},
        {13, {}, {}}}) {
    EXPECT_EQ(RunNode(opset, "Squeeze", {1, 3, 1}, attrs, ints).size(), 3U);
  }
  EXPECT_THAT(RunNode(18, "ReduceSum", {2, 2}, {{"keepdims", int64_t{0}}}, {{1}}), ElementsAre(1, 5));
  EXPECT_THAT(RunNode(11, "ReduceSum", {2, 2}, {{"axes", Ints{0}}}), ElementsAre(2, 4));
}

TEST(OnnxSplit, GivesPartsOfTheSizesAskedFor) {
  ModelMaker model(13);
  model.Input("x", {5}).Ints("s", {2, 3}).Node("Split", {"x", "s"}, {"a", "b"}).Output("b").Output("a");
  const auto parts = RunOnnx(model.Bytes(), {{"x", Counting({5})}});
  EXPECT_THAT(Values(parts[0]), ElementsAre(2, 3, 4));
  EXPECT_THAT(Values(parts[1]), ElementsAre(0, 1));
}

TEST(OnnxGather, TakesNegativeIndicesAndRefusesThoseOutside) {
  EXPECT_THAT(RunNode(13, "Gather", {4}, {}, {{-1, 0}}), ElementsAre(3, 0));
  ModelMaker model;
  model.Input("x", {4}).Ints("i", {4}).Node("Gather", {"x", "i"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("index 4 is outside 4"));
}

TEST(OnnxPad, OrdersPadsByAxis) {
  EXPECT_THAT(RunNode(13, "Pad", {1, 2}, {}, {{0, 1, 0, 2}}), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(RunNode(10, "Pad", {1, 2}, {{"pads", Ints{0, 1, 1, 0}}, {"value", 9.0}}), ElementsAre(9, 0, 1, 9, 9, 9));
}

TEST(OnnxGemm, ScalesTransposesAndDoesWithoutC) {
  ModelMaker model(13);
  model.Input("a", {2, 1}).Weight("b", {2, 2}, {1, 2, 3, 4}).Weight("c", {1, 2}, {10, 20});
  model.Node("Gemm", {"a", "b", "c"}, {"y"}, {{"transA", int64_t{1}}, {"alpha", 2.0}, {"beta", 0.5}}).Output("y");
  model.Node("Gemm", {"a", "b"}, {"z"}, {{"transA", int64_t{1}}}).Output("z");
  const auto outputs = RunOnnx(model.Bytes(), {{"a", Counting({2, 1})}});
  EXPECT_THAT(Values(outputs[0]), ElementsAre(11, 18));
  EXPECT_THAT(Values(outputs[1]), ElementsAre(3, 4));
}

TEST(OnnxMatMul, BroadcastsBatchesAndPromotesVectors) {
  ModelMaker model(13);
  model.Input("x", {2, 1, 2}).Weight("w", {2, 2}, {1, 0, 0, 1}).Weight("v", {2}, {1, 1}).Weight("b", {1, 2, 1}, {2, 3});
  model.Node("MatMul", {"x", "w"}, {"p"}).Node("MatMul", {"x", "v"}, {"q"}).Node("MatMul", {"x", "b"}, {"r"});
  model.Output("p").Output("q").Output("r");
  const auto outputs = RunOnnx(model.Bytes(), {{"x", Counting({2, 1, 2})}});
  EXPECT_THAT(Values(outputs[0]), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(outputs[1].shape(), (Shape{2, 1}));
  EXPECT_THAT(Values(outputs[2]), ElementsAre(3, 13));
}

// ONNX's type 7 is int64. The first sum passes 2^53, and the second wraps.
TEST(OnnxMatMul, OfIntegersIsExact) {
  constexpr int64_t kWide = (int64_t{1} << 53) + 1;
  const Tensor x = Tensor::FromVector<int64_t>(DType::kInt64, {2, 2}, {kWide, 2, INT64_MAX, 1});
  const auto results = [&](const ModelMaker& model) {
    const Tensor y = RunOnnx(ModelMaker(model).Output("y").Bytes(), {{"x", x}})[0];
    return std::vector<int64_t>(y.data<int64_t>(), y.data<int64_t>() + y.elements());
  };
  ModelMaker model(13);
  model.IntegerInput("x", 7, {2, 2}).Ints("ones", {1, 1}).Ints("column", {2, 1});
  model.Node("Reshape", {"ones", "column"}, {"w"});
  EXPECT_THAT(results(ModelMaker(model).Node("MatMul", {"x", "w"}, {"y"})), ElementsAre(kWide + 2, INT64_MIN));
  EXPECT_THAT(results(ModelMaker(model).Node("Gemm", {"x", "w"}, {"y"}, {{"alpha", 2.0}})),
              ElementsAre(2 * kWide + 4, 0));
  EXPECT_THAT(results(ModelMaker(model).Node("Einsum", {"x", "w"}, {"y"}, {{"equation", "ij,jk->ik"}})),
              ElementsAre(kWide + 2, INT64_MIN));
  ModelMaker left(13), batch(13);
  left.IntegerInput("x", 7, {2, 2}).Ints("row", {1, 0}).Node("MatMul", {"row", "x"}, {"y"});
  EXPECT_THAT(results(left), ElementsAre(kWide, 2));
  batch.IntegerInput("x", 7, {2, 2}).Ints("v", {1, 1, 0, 1}).Ints("columns", {2, 2, 1});
  batch.Node("Reshape", {"v", "columns"}, {"w"}).Node("MatMul", {"x", "w"}, {"y"});
  EXPECT_THAT(results(batch), ElementsAre(kWide + 2, INT64_MIN, 2, 1));
  model.Node("Gemm", {"x", "w"}, {"y"}, {{"alpha", 0.5}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("a product of integers times 0.5"));
}

TEST(OnnxNormalization, OfLayersAndInstances) {
  ModelMaker layer(17);
  layer.Input("x", {1, 2, 2}).Weight("s", {2}, {1, 2}).Weight("b", {2}, {0, 10});
  layer.Node("LayerNormalization", {"x", "s", "b"}, {"y", "mean", "inv"}, {{"epsilon", 0.0}});
  layer.Output("y").Output("mean").Output("inv");
  const std::vector<Tensor> of_layer = RunOnnx(layer.Bytes(), {{"x", Counting({1, 2, 2})}});
  EXPECT_THAT(Values(of_layer[0]), ElementsAre(-1, 12, -1, 12));
  EXPECT_THAT(Values(of_layer[1]), ElementsAre(0.5F, 2.5F));
  EXPECT_THAT(Values(of_layer[2]), ElementsAre(2, 2));
  ModelMaker instance(13);
  instance.Input("x", {1, 2, 1, 2}).Weight("s", {2}, {1, 2}).Weight("b", {2}, {0, 10});
  instance.Node("InstanceNormalization", {"x", "s", "b"}, {"y"}, {{"epsilon", 0.0}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(instance.Bytes(), {{"x", Counting({1, 2, 1, 2})}})[0]), ElementsAre(-1, 1, 8, 12));
}

TEST(OnnxGelu, IsExactUnlessToldOtherwise) {
  EXPECT_THAT(RunNode(20, "Gelu", {2}, {}), ElementsAre(0, testing::FloatNear(0.841344746F, 1e-6F)));
}

TEST(OnnxPRelu, BroadcastsItsSlope) {
  ModelMaker model(13);
  model.Input("x", {1, 2, 1, 2}).Weight("c", {2, 1, 1}, {10, 100}).Weight("w", {2}, {10, 100});
  model.Node("Neg", {"x"}, {"n"}).Node("PRelu", {"n", "c"}, {"y"}).Node("PRelu", {"n", "w"}, {"z"});
  model.Output("y").Output("z");
  const auto outputs = RunOnnx(model.Bytes(), {{"x", Counting({1, 2, 1, 2})}});
  EXPECT_THAT(Values(outputs[0]), ElementsAre(0, -10, -200, -300));
  EXPECT_THAT(Values(outputs[1]), ElementsAre(0, -100, -20, -300));
}

// The rectified value less the value itself would be NaN at an infinity.
TEST(OnnxPRelu, KeepsInfinitiesWhateverItsSlope) {
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {1, 1, 3}, {INFINITY, -INFINITY, -1});
  for (const Shape& shape : {Shape{3}, Shape{1}, Shape{1, 1, 3}}) {
    ModelMaker model(16);
    model.Input("x", {1, 1, 3}).Weight("s", shape, std::vector<float>(static_cast<size_t>(ElementCount(shape)), 0.5F));
    model.Node("PRelu", {"x", "s"}, {"y"}).Output("y");
    EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), ElementsAre(INFINITY, -INFINITY, -0.5F));
  }
}

TEST(OnnxConvTranspose, SpreadsWhatOutputShapeLeavesOver) {
  ModelMaker model(13);
  model.Input("x", {1, 1, 1, 1}).Filled("w", {1, 1, 3, 3}, 1);
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"output_shape", Ints{2, 2}}}).Output("y");
  EXPECT_EQ(AttrsOf(model.Bytes(), "nn.conv2d_transpose").GetInts("padding"), (Ints{1, 1, 0, 0}));
}

TEST(OnnxConvTranspose, ReachesNoFurtherThanItsTaps) {
  ModelMaker model(13);
  model.Input("x", {1, 1, 1, 2}).Filled("w", {1, 1, 1, 2}, 1);
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"strides", Ints{1, 2}}, {"output_shape", Ints{1, 7}}});
  EXPECT_THAT(Values(RunOnnx(model.Output("y").Bytes(), {{"x", Counting({1, 1, 1, 2})}})[0]),
              ElementsAre(0, 0, 1, 1, 0, 0, 0));
  ModelMaker same(13);
  same.Input("x", {1, 1, 1, 2}).Filled("w", {1, 1, 1, 1}, 1);
  same.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"strides", Ints{1, 2}}, {"auto_pad", "SAME_UPPER"}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(same.Bytes(), {{"x", Counting({1, 1, 1, 2})}})[0]), ElementsAre(0, 0, 1, 0));
}

TEST(OnnxConvTranspose, TakesVolumes) {
  ModelMaker model(13);
  model.Input("x", {1, 2, 3, 4, 5}).Filled("w", {2, 3, 2, 2, 2}, 1);
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"strides", Ints{2, 2, 2}}}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Counting({1, 2, 3, 4, 5})}})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 3, 6, 8, 10}));
  EXPECT_EQ(y.At(0), 60);  // 0 for one channel and 60 for the other
}

}  // namespace
}  // namespace hone
