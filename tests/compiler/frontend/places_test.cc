// Operators that read elements at positions given by shapes or pools.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
using Ints = std::vector<int64_t>;

ModelMaker OneNode(const std::string& op, const Shape& shape, const Attributes& attributes,
                   const std::vector<Ints>& ints) {
  ModelMaker model(18);
  model.Input("x", shape);
  std::vector<std::string> inputs = {"x"};
  for (const Ints& each : ints) {
    inputs.push_back("i" + std::to_string(inputs.size()));
    model.Ints(inputs.back(), each);
  }
  model.Node(op, inputs, {"y"}, attributes).Output("y");
  return model;
}

std::vector<float> RunNode(const std::string& op, const Shape& shape, const Attributes& attributes,
                           const std::vector<Ints>& ints) {
  return Values(RunOnnx(OneNode(op, shape, attributes, ints).Bytes(), {{"x", Counting(shape)}})[0]);
}

TEST(OnnxCenterCropPad, CutsAndPadsAroundTheMiddle) {
  EXPECT_THAT(RunNode("CenterCropPad", {1, 5}, {}, {{2, 2}}), ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(RunNode("CenterCropPad", {2, 1}, {{"axes", Ints{-1}}}, {{4}}), ElementsAre(0, 0, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(ImportError(OneNode("CenterCropPad", {1, 5}, {}, {{2}}).Bytes()), HasSubstr("a shape of 1 for 2 axes"));
}

TEST(OnnxCol2Im, AddsWhatLiesOnAPixel) {
  EXPECT_THAT(RunNode("Col2Im", {1, 4, 4}, {}, {{3, 3}, {2, 2}}), ElementsAre(0, 5, 5, 10, 30, 20, 10, 25, 15));
  // One axis, stride 2, dilation 2, padding 1 before the image: pixels -1 and 1, then 1 and 3.
  const Attributes apart{{"strides", Ints{2}}, {"dilations", Ints{2}}, {"pads", Ints{1, 0}}};
  EXPECT_THAT(RunNode("Col2Im", {1, 2, 2}, apart, {{4}, {2}}), ElementsAre(0, 3, 0, 3));
  EXPECT_THAT(ImportError(OneNode("Col2Im", {1, 4, 5}, {}, {{3, 3}, {2, 2}}).Bytes()),
              HasSubstr("its columns are 1x4x5; N x (C * 4) x 4 is right"));
}

TEST(OnnxAffineGrid, MapsMiddlesOrCorners) {
  EXPECT_THAT(RunNode("AffineGrid", {1, 2, 3}, {}, {{1, 1, 1, 2}}), ElementsAre(2, 3.5, 2, 6.5));
  EXPECT_THAT(RunNode("AffineGrid", {1, 2, 3}, {{"align_corners", int64_t{1}}}, {{1, 1, 1, 2}}),
              ElementsAre(1, -2, 1, 4));
  // In a volume the coordinates are x, y and z: here -1/2 or 1/2, only along the depth.
  EXPECT_THAT(RunNode("AffineGrid", {1, 3, 4}, {}, {{1, 1, 2, 1, 1}}), ElementsAre(2, 4, 6, 4, 10, 16));
  EXPECT_THAT(ImportError(OneNode("AffineGrid", {1, 2, 3}, {}, {{1, 1, 1}}).Bytes()), HasSubstr("theta 1x2x3 for 3"));
}

std::vector<Tensor> RunPool(const Attributes& attributes) {
  ModelMaker model(12);
  model.Input("x", {1, 2, 2, 3}).Node("MaxPool", {"x"}, {"y", "at"}, attributes);
  const std::string bytes = model.Output("y").Output("at").Bytes();
  return RunOnnx(bytes, {{"x", Counting({1, 2, 2, 3})}});
}

TEST(OnnxMaxPool, TellsWhereTheLargestLie) {
  const Attributes square{{"kernel_shape", Ints{2, 2}}};
  EXPECT_THAT(Values(RunPool(square)[0]), ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(Values(RunPool(square)[1]), ElementsAre(4, 5, 10, 11));
  EXPECT_EQ(RunPool(square)[1].dtype(), DType::kInt64);
  EXPECT_THAT(Values(RunPool({square[0], {"storage_order", int64_t{1}}})[1]), ElementsAre(3, 5, 9, 11));
  const Attributes padded{square[0], {"pads", Ints{1, 1, 0, 0}}, {"strides", Ints{1, 3}}};
  EXPECT_THAT(Values(RunPool(padded)[1]), ElementsAre(0, 3, 6, 9));
}

TEST(OnnxMaxUnpool, PutsElementsBack) {
  ModelMaker model(12);
  model.Input("x", {1, 1, 2, 3}).Node("MaxPool", {"x"}, {"y", "at"}, {{"kernel_shape", Ints{2, 2}}});
  model.Node("MaxUnpool", {"y", "at"}, {"z"}, {{"kernel_shape", Ints{2, 2}}}).Output("z");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 2, 3})}})[0]), ElementsAre(0, 0, 0, 0, 4, 5));
  model.Ints("wanted", {1, 1, 2, 4}).Node("MaxUnpool", {"y", "at", "wanted"}, {"w"}, {{"kernel_shape", Ints{2, 2}}});
  const auto both = RunOnnx(model.Output("w").Bytes(), {{"x", Counting({1, 1, 2, 3})}});
  EXPECT_THAT(Values(both[1]), ElementsAre(0, 0, 0, 0, 0, 4, 5, 0));
  model.Ints("small", {1, 1, 2, 2}).Node("MaxUnpool", {"y", "at", "small"}, {"v"}, {{"kernel_shape", Ints{2, 2}}});
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("output_shape is 1x1x2x2, 1x1x2x3 is the least"));
}

TEST(OnnxPad, TakesANumberThatIsComputed) {
  ModelMaker model(18);
  model.Input("x", {1, 2}).Input("v", {}).Ints("pads", {0, 1, 1, 0});
  model.Node("Pad", {"x", "pads", "v"}, {"y"}).Output("y");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({1, 2})}, {"v", Tensor::Scalar(7)}});
  EXPECT_THAT(Values(results[0]), ElementsAre(7, 0, 1, 7, 7, 7));
}

// Models of a few bytes whose shapes need tables too large for any machine.
TEST(OnnxPlaces, RefusesWhatIsTooLarge) {
  const int64_t wide = int64_t{1} << 29;
  const Attributes steps{{"strides", Ints{wide, wide}}};
  EXPECT_THAT(ImportError(OneNode("Col2Im", {1, 4, 1}, steps, {{wide, wide}, {2, 2}}).Bytes()),
              HasSubstr("an image of 536870912x536870912"));
  const int64_t most = int64_t{1} << 20;
  EXPECT_THAT(ImportError(OneNode("AffineGrid", {1, 3, 4}, {}, {{1, 1, most, most, most}}).Bytes()),
              HasSubstr("a size of 1x1x1048576"));
  ModelMaker pool(12);
  pool.Input("x", {1, 1, 2, 2});
  pool.Node("MaxPool", {"x"}, {"y", "at"}, {{"kernel_shape", Ints{65538, 65538}}, {"pads", Ints{65536, 65536, 0, 0}}});
  EXPECT_THAT(ImportError(pool.Output("at").Bytes()), HasSubstr("windows of 65538x65538 on 1x1x2x2"));
  ModelMaker unpool(12);
  unpool.Input("x", {1, 1, 2, 2}).IntegerInput("at", 7, {1, 1, 2, 2});
  unpool.Node("MaxUnpool", {"x", "at"}, {"y"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{wide, wide}}});
  EXPECT_THAT(ImportError(unpool.Output("y").Bytes()), HasSubstr("is too large"));
}

}  // namespace
}  // namespace hone
