// Operators that move elements or compute them from positions.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
using Ints = std::vector<int64_t>;

// One node on x = 0, 1, 2, ...; further inputs are integer vectors.
ModelMaker OneNode(const std::string& op, const Shape& shape, const Attributes& attributes,
                   const std::vector<Ints>& ints = {}) {
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
                           const std::vector<Ints>& ints = {}) {
  return Values(RunOnnx(OneNode(op, shape, attributes, ints).Bytes(), {{"x", Counting(shape)}})[0]);
}

TEST(OnnxRearrange, MovesBetweenDepthAndSpace) {
  const Attributes two{{"blocksize", int64_t{2}}};
  EXPECT_THAT(RunNode("DepthToSpace", {1, 8, 1, 1}, two), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(RunNode("DepthToSpace", {1, 8, 1, 1}, {{"blocksize", int64_t{2}}, {"mode", "CRD"}}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(RunNode("SpaceToDepth", {1, 2, 2, 2}, two), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(RunNode("SpaceToDepth", {1, 2, 2, 2}, {two[0], {"mode", std::string("CRD")}}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ImportError(OneNode("DepthToSpace", {1, 6, 1, 1}, two).Bytes()),
              HasSubstr("6 channels do not make 2 x 2 places"));
}

TEST(OnnxRearrange, TilesEveryAxis) {
  EXPECT_THAT(RunNode("Tile", {2, 2}, {}, {{1, 2}}), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_THAT(RunNode("Tile", {2, 2}, {}, {{2, 1}}), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(ImportError(OneNode("Tile", {2, 2}, {}, {{2}}).Bytes()), HasSubstr("1 repeats of 2 axes"));
}

TEST(OnnxRearrange, ResizesTensorsWithoutElements) {
  ModelMaker model(18);
  model.Input("x", {1, 2, 4, 4}).Ints("at", {0}).Ints("axis", {1}).Ints("sizes", {1, 0, 8, 6});
  model.Node("Slice", {"x", "at", "at", "axis"}, {"none"}).Node("Resize", {"none", "", "", "sizes"}, {"y"}).Output("y");
  EXPECT_EQ(RunOnnx(model.Bytes(), {{"x", Counting({1, 2, 4, 4})}})[0].shape(), (Shape{1, 0, 8, 6}));
}

// The shape of an empty result of one node. Its input x is an empty slice of 4 x 6 x 8 x 8 along an axis.
Shape ShapeOfEmpty(int64_t axis, const std::string& op, const Attributes& attributes,
                   const std::vector<Ints>& ints = {}) {
  ModelMaker model(18);
  model.Input("x", {4, 6, 8, 8})
      .Ints("at", {2})
      .Ints("axis", {axis})
      .Node("Slice", {"x", "at", "at", "axis"}, {"none"});
  std::vector<std::string> inputs = {"none"};
  for (const Ints& each : ints) {
    inputs.push_back("i" + std::to_string(inputs.size()));
    model.Ints(inputs.back(), each);
  }
  model.Node(op, inputs, {"y"}, attributes).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Counting({4, 6, 8, 8})}})[0];
  EXPECT_EQ(y.elements(), 0);
  return y.shape();
}

TEST(OnnxRearrange, ShapesTensorsWithoutElements) {
  const Attributes two{{"blocksize", int64_t{2}}};
  EXPECT_EQ(ShapeOfEmpty(0, "Reshape", {{"allowzero", int64_t{1}}}, {{3, 0, 5}}), (Shape{3, 0, 5}));
  EXPECT_EQ(ShapeOfEmpty(1, "Flatten", {{"axis", int64_t{3}}}), (Shape{0, 8}));
  EXPECT_EQ(ShapeOfEmpty(1, "Tile", {}, {{1, 2, 2, 1}}), (Shape{4, 0, 16, 8}));
  EXPECT_EQ(ShapeOfEmpty(0, "DepthToSpace", {{"blocksize", int64_t{1}}}), (Shape{0, 6, 8, 8}));
  EXPECT_EQ(ShapeOfEmpty(2, "SpaceToDepth", two), (Shape{4, 24, 0, 4}));
  EXPECT_EQ(ShapeOfEmpty(2, "Einsum", {{"equation", "abcd->dcab"}}), (Shape{8, 0, 4, 6}));
}

TEST(OnnxPad, WrapsAroundAndTakesAway) {
  EXPECT_THAT(RunNode("Pad", {3}, {{"mode", "wrap"}}, {{2, 4}}), ElementsAre(1, 2, 0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(RunNode("Pad", {3}, {{"mode", "wrap"}}, {{-1, 2}}), ElementsAre(1, 2, 0, 1));
  std::vector<float> rounds;
  for (int i = -129; i < 4; ++i) rounds.push_back(i % 2 == 0 ? 0.F : 1.F);
  EXPECT_EQ(RunNode("Pad", {2}, {{"mode", "wrap"}}, {{129, 2}}), rounds);
  EXPECT_THAT(RunNode("Pad", {4}, {}, {{-1, 2}}), ElementsAre(1, 2, 3, 0, 0));
  EXPECT_THAT(ImportError(OneNode("Pad", {2}, {}, {{-1, -2}}).Bytes()), HasSubstr("nothing is left of axis 0"));
}

TEST(OnnxPattern, FollowsFromPositions) {
  EXPECT_THAT(RunNode("Trilu", {2, 3}, {}), ElementsAre(0, 1, 2, 0, 4, 5));
  EXPECT_THAT(RunNode("Trilu", {3, 2}, {{"upper", int64_t{0}}}, {{-1}}), ElementsAre(0, 0, 2, 0, 4, 5));
  EXPECT_THAT(RunNode("EyeLike", {2, 3}, {{"k", int64_t{1}}}), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(RunNode("Size", {2, 3}, {}), ElementsAre(6));
}

TEST(OnnxPattern, KnowsRangesAndWhatIsNotZeroAtImport) {
  ModelMaker model(13);
  model.Input("x", {1}).Ints("s", {7}).Ints("l", {1}).Ints("d", {-2}).Ints("z", {0, 5, 0, 9});
  for (const char* name : {"s", "l", "d"}) {
    for (auto& tensor : *model.graph().mutable_initializer()) {
      if (tensor.name() == name) tensor.clear_dims();
    }
  }
  model.Node("Range", {"s", "l", "d"}, {"r"}).Node("NonZero", {"z"}, {"n"}).Output("r").Output("n");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({1})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(7, 5, 3));
  EXPECT_EQ(results[1].shape(), (Shape{1, 2}));
  EXPECT_THAT(Values(results[1]), ElementsAre(1, 3));
}

TEST(OnnxPattern, MarksIndices) {
  ModelMaker model(13);
  model.Input("x", {2}).Ints("i", {1, -1}).Ints("d", {3}).Weight("v", {2}, {5, 7});
  model.Node("OneHot", {"i", "d", "v"}, {"y"}).Node("OneHot", {"i", "d", "v"}, {"z"}, {{"axis", int64_t{0}}});
  model.Output("y").Output("z");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({2})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(5, 7, 5, 5, 5, 7));
  EXPECT_THAT(Values(results[1]), ElementsAre(5, 5, 7, 5, 5, 7));
}

TEST(OnnxReverseSequence, TurnsEachAroundInItsLength) {
  const auto turned = [](int64_t batch, int64_t time) {
    ModelMaker model(16);
    model.Input("x", {3, 3}).IntegerInput("n", onnx::TensorProto::INT64, {3});
    model.Node("ReverseSequence", {"x", "n"}, {"y"}, {{"batch_axis", batch}, {"time_axis", time}}).Output("y");
    const Tensor lengths = Tensor::FromVector<int64_t>(DType::kInt64, {3}, {3, 1, 2});
    return Values(RunOnnx(model.Bytes(), {{"x", Counting({3, 3})}, {"n", lengths}})[0]);
  };
  EXPECT_THAT(turned(0, 1), ElementsAre(2, 1, 0, 3, 4, 5, 7, 6, 8));
  EXPECT_THAT(turned(1, 0), ElementsAre(6, 1, 5, 3, 4, 2, 0, 7, 8));
  ModelMaker model(16);
  model.Input("x", {3, 3}).Ints("n", {3, 1}).Node("ReverseSequence", {"x", "n"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("2 lengths for 3 sequences"));
}

TEST(OnnxScatter, ReplacesAtKnownPositions) {
  ModelMaker model(16);
  model.Input("x", {2, 2}).Input("u", {1, 2}).Ints("i", {-1}).Ints("j", {0, 1});
  for (auto& tensor : *model.graph().mutable_initializer()) {
    tensor.clear_dims();
    tensor.add_dims(1);
    tensor.add_dims(tensor.name() == "i" ? 1 : 2);
  }
  model.Node("ScatterND", {"x", "i", "u"}, {"y"})
      .Node("ScatterElements", {"x", "j", "u"}, {"z"}, {{"axis", int64_t{0}}});
  model.Output("y").Output("z");
  const Tensor updates = Tensor::FromVector<float>(DType::kFloat32, {1, 2}, {8, 9});
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({2, 2})}, {"u", updates}});
  EXPECT_THAT(Values(results[0]), ElementsAre(0, 1, 8, 9));
  EXPECT_THAT(Values(results[1]), ElementsAre(8, 1, 2, 9));
  model.graph().mutable_node(0)->mutable_input(1)->assign("x");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("it must be int32 or int64"));
}

TEST(OnnxGather, PicksByPositions) {
  ModelMaker model(13);
  model.Input("x", {2, 2}).Ints("i", {1, 0});
  auto& indices = *model.graph().mutable_initializer(0);
  indices.clear_dims();
  indices.add_dims(1);
  indices.add_dims(2);
  model.Node("GatherND", {"x", "i"}, {"y"}).Node("GatherElements", {"x", "i"}, {"z"}, {{"axis", int64_t{0}}});
  model.Output("y").Output("z");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({2, 2})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(2));
  EXPECT_THAT(Values(results[1]), ElementsAre(2, 1));
}

std::vector<float> RunEinsum(const std::string& equation, const std::vector<Shape>& shapes) {
  ModelMaker model(13);
  std::map<std::string, Tensor> inputs;
  std::vector<std::string> names;
  for (const Shape& shape : shapes) {
    names.push_back("x" + std::to_string(names.size()));
    model.Input(names.back(), shape);
    inputs.emplace(names.back(), Counting(shape));
  }
  model.Node("Einsum", names, {"y"}, {{"equation", equation}}).Output("y");
  return Values(RunOnnx(model.Bytes(), inputs)[0]);
}

TEST(OnnxEinsum, ContractsTransposesAndSums) {
  EXPECT_THAT(RunEinsum("ij,jk->ik", {{2, 2}, {2, 2}}), ElementsAre(2, 3, 6, 11));
  EXPECT_THAT(RunEinsum("ij, jk -> ki", {{2, 2}, {2, 2}}), ElementsAre(2, 6, 3, 11));
  EXPECT_THAT(RunEinsum("bij,bkj->bik", {{2, 1, 2}, {2, 2, 2}}), ElementsAre(1, 3, 23, 33));
  EXPECT_THAT(RunEinsum("i,i->i", {{3}, {3}}), ElementsAre(0, 1, 4));
  EXPECT_THAT(RunEinsum("i,j", {{2}, {3}}), ElementsAre(0, 0, 0, 0, 1, 2));
  EXPECT_THAT(RunEinsum("ij->j", {{2, 2}}), ElementsAre(2, 4));
  EXPECT_THAT(RunEinsum("...ij,...jk->...ik", {{2, 1, 2}, {2, 2, 1}}), ElementsAre(1, 13));
  EXPECT_THAT(RunEinsum("ij,j,i->", {{2, 2}, {2}, {2}}), ElementsAre(3));
}

TEST(OnnxEinsum, TakesDiagonals) {
  EXPECT_THAT(RunEinsum("ii->i", {{3, 3}}), ElementsAre(0, 4, 8));
  EXPECT_THAT(RunEinsum("ii", {{3, 3}}), ElementsAre(12));
  EXPECT_THAT(RunEinsum("...ii->...i", {{2, 2, 2}}), ElementsAre(0, 3, 4, 7));
  EXPECT_THAT(RunEinsum("iji->ji", {{2, 3, 2}}), ElementsAre(0, 7, 2, 9, 4, 11));
  EXPECT_THAT(RunEinsum("iii->i", {{2, 2, 2}}), ElementsAre(0, 7));
  EXPECT_THAT(RunEinsum("jiii->ji", {{2, 2, 2, 2}}), ElementsAre(0, 7, 8, 15));
  EXPECT_THAT(RunEinsum("iijj->ij", {{2, 2, 2, 2}}), ElementsAre(0, 3, 12, 15));
  EXPECT_THAT(RunEinsum("ii,i->i", {{2, 2}, {2}}), ElementsAre(0, 3));
}

TEST(OnnxEinsum, BroadcastsAxesOfOneElement) {
  EXPECT_THAT(RunEinsum("...i,...i->...i", {{2, 2}, {1, 2}}), ElementsAre(0, 1, 0, 3));
  EXPECT_THAT(RunEinsum("ij,j->i", {{2, 1}, {3}}), ElementsAre(0, 3));
  EXPECT_THAT(RunEinsum("bij,bjk->bik", {{1, 1, 2}, {2, 2, 1}}), ElementsAre(1, 3));
}

TEST(OnnxEinsum, RefusesWhatItCannotDo) {
  const auto error = [](const std::string& equation, const Shape& shape) {
    return ImportError(OneNode("Einsum", shape, {{"equation", equation}}).Bytes());
  };
  EXPECT_THAT(error("ij->ii", {2, 2}), HasSubstr("names an axis twice"));
  EXPECT_THAT(error("ii->i", {2, 3}), HasSubstr("an axis has 2 elements in one input, 3 in another"));
  EXPECT_THAT(error("ij,jk->ik", {2, 2}), HasSubstr("has 2 terms for 1 input"));
  EXPECT_THAT(error("ij->k", {2, 2}), HasSubstr("names every axis of its result"));
  EXPECT_THAT(error("ijk->k", {2, 2}), HasSubstr("\"ijk\" is not of rank 2"));
}

// Samples a 2 x 2 image 0 1 / 2 3 at two positions.
std::vector<float> Sample(const std::vector<float>& grid, const Attributes& attributes) {
  ModelMaker model(20);
  model.Input("x", {1, 1, 2, 2}).Input("g", {1, 1, 2, 2}).Node("GridSample", {"x", "g"}, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 2, 2})},
                                        {"g", Tensor::FromVector(DType::kFloat32, {1, 1, 2, 2}, grid)}})[0]);
}

TEST(OnnxGridSample, BlendsNeighboursAndKnowsTheBorder) {
  const Attributes corners{{"align_corners", int64_t{1}}};
  EXPECT_THAT(Sample({0, 0, 1, -1}, corners), ElementsAre(1.5F, 1));
  EXPECT_THAT(Sample({0, 0, -1, -1}, {}), ElementsAre(1.5F, 0));
  EXPECT_THAT(Sample({1, 1, 3, 0}, {}), ElementsAre(0.75F, 0));
  EXPECT_THAT(Sample({1, 1, 3, 0}, {{"padding_mode", "border"}}), ElementsAre(3, 2));
  EXPECT_THAT(Sample({2, -1, 3, -1}, {{"padding_mode", "reflection"}, {"align_corners", int64_t{1}}}),
              ElementsAre(0.5F, 0));
  EXPECT_THAT(Sample({0.6F, -0.4F, -0.9F, 0.9F}, {{"mode", "nearest"}}), ElementsAre(1, 2));
  // Row 2.5 is rounded to 2 before it is mirrored to 1; mirroring first would give 0.5, which rounds to 0.
  EXPECT_THAT(Sample({-0.5F, 2, -0.5F, 0.5F}, {{"mode", "nearest"}, {"padding_mode", "reflection"}}),
              ElementsAre(2, 2));
  ModelMaker model(20);
  model.Input("x", {1, 1, 2, 2}).Node("GridSample", {"x", "x"}, {"y"}, {{"mode", "area"}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("linear, cubic and nearest are"));
}

// In the middle of four pixels the weights of Keys's cubic for a = -3/4 are -3/32, 19/32, 19/32 and -3/32.
TEST(OnnxGridSample, BlendsSixteenPixelsAndVolumes) {
  EXPECT_THAT(Sample({0, 0, 0, 0}, {{"mode", "cubic"}}), ElementsAre(6 * 19.0F * 19 / 1024, 6 * 19.0F * 19 / 1024));
  EXPECT_THAT(Sample({0, 0, 0, 0}, {{"mode", "cubic"}, {"padding_mode", "border"}}), ElementsAre(1.5F, 1.5F));
  ModelMaker model(22);
  model.Input("x", {1, 1, 2, 2, 2}).Weight("g", {1, 1, 1, 1, 3}, {0, 0, 1});
  model.Node("GridSample", {"x", "g"}, {"y"}, {{"align_corners", int64_t{1}}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 2, 2, 2})}})[0]), ElementsAre(5.5F));
}

TEST(OnnxWindow, OfOneDimensionIsAPlaneOfOneRow) {
  EXPECT_THAT(RunNode("MaxPool", {1, 1, 5}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}), ElementsAre(1, 3));
  EXPECT_THAT(RunNode("AveragePool", {1, 1, 3}, {{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}}),
              ElementsAre(0.5F, 1, 1.5F));
  EXPECT_THAT(RunNode("GlobalAveragePool", {1, 2, 2, 1, 2}, {}), ElementsAre(1.5F, 5.5F));
  EXPECT_THAT(RunNode("GlobalMaxPool", {1, 2, 3}, {}), ElementsAre(2, 5));
  ModelMaker conv(13);
  conv.Input("x", {1, 1, 4}).Weight("w", {1, 1, 2}, {1, 10}).Weight("b", {1}, {100});
  conv.Node("Conv", {"x", "w", "b"}, {"y"}, {{"strides", Ints{2}}, {"pads", Ints{1, 0}}});
  conv.Node("ConvTranspose", {"x", "w"}, {"t"}, {{"strides", Ints{2}}}).Output("y").Output("t");
  const auto results = RunOnnx(conv.Bytes(), {{"x", Counting({1, 1, 4})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(100, 121));
  EXPECT_THAT(Values(results[1]), ElementsAre(0, 0, 1, 10, 2, 20, 3, 30));
}

TEST(OnnxWindow, OfThreeDimensionsSumsOverTheDepth) {
  const Ints cube{2, 2, 2};
  EXPECT_THAT(RunNode("MaxPool", {1, 1, 3, 2, 2}, {{"kernel_shape", cube}}), ElementsAre(7, 11));
  EXPECT_THAT(RunNode("MaxPool", {1, 1, 1, 2, 2}, {{"kernel_shape", cube}, {"pads", Ints{1, 0, 0, 1, 0, 0}}}),
              ElementsAre(3, 3));
  EXPECT_THAT(RunNode("AveragePool", {1, 2, 2, 2, 2}, {{"kernel_shape", cube}}), ElementsAre(3.5F, 11.5F));
  ModelMaker conv(13);
  conv.Input("x", {2, 1, 3, 1, 1}).Weight("w", {2, 1, 2, 1, 1}, {1, 10, 1, -1}).Weight("b", {2}, {100, 0});
  conv.Node("Conv", {"x", "w", "b"}, {"y"}, {{"strides", Ints{2, 1, 1}}, {"pads", Ints{1, 0, 0, 0, 0, 0}}});
  conv.Output("y");
  const auto results = RunOnnx(conv.Bytes(), {{"x", Counting({2, 1, 3, 1, 1})}});
  EXPECT_EQ(results[0].shape(), (Shape{2, 2, 2, 1, 1}));
  EXPECT_THAT(Values(results[0]), ElementsAre(100, 121, 0, -1, 130, 154, -3, -1));
  const Ints front{1, 0, 0, 0, 0, 0};
  EXPECT_THAT(RunNode("AveragePool", {1, 1, 2, 2, 2}, {{"kernel_shape", cube}, {"pads", front}}),
              ElementsAre(1.5F, 3.5F));
  EXPECT_THAT(RunNode("AveragePool", {1, 1, 2, 2, 2},
                      {{"kernel_shape", cube}, {"pads", front}, {"count_include_pad", int64_t{1}}}),
              ElementsAre(0.75F, 3.5F));
  EXPECT_THAT(RunNode("MaxPool", {1, 1, 4, 1, 1},
                      {{"kernel_shape", Ints{3, 1, 1}}, {"strides", Ints{2, 1, 1}}, {"ceil_mode", int64_t{1}}}),
              ElementsAre(2, 3));
  EXPECT_THAT(ImportError(OneNode("MaxPool", {1, 1, 2, 2, 2}, {{"kernel_shape", Ints{2, 2}}}).Bytes()),
              HasSubstr("kernel_shape has 2 numbers; 3 spatial dimensions need 3"));
  EXPECT_THAT(RunNode("GlobalLpPool", {1, 1, 2, 2, 2}, {{"p", int64_t{1}}}), ElementsAre(28));
  ModelMaker flat(13);
  flat.Input("x", {1, 1, 2, 2, 2}).Weight("w", {1, 1, 2, 2}, {1, 1, 1, 1}).Node("Conv", {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(flat.Bytes()), HasSubstr("its weight is 1x1x2x2, its data 1x1x2x2x2"));
}

}  // namespace
}  // namespace hone
