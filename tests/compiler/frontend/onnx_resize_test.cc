// Resize: its ways to place and weight the elements, in new and old versions of ONNX.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

// The values are from ONNX's own cases.
TEST(OnnxResize, PicksTheNearest) {
  const Shape square{1, 1, 2, 2};
  const auto nearest = [&](const Shape& shape, const Ints& sizes, const std::string& coordinates,
                           const std::string& rounding) {
    ModelMaker model(13);
    model.Input("x", shape).Ints("sizes", sizes);
    model.Node("Resize", {"x", "", "", "sizes"}, {"y"},
               {{"coordinate_transformation_mode", coordinates}, {"nearest_mode", rounding}});
    model.Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Counting(shape)}})[0]);
  };
  EXPECT_THAT(nearest(square, {1, 1, 4, 4}, "half_pixel", "round_prefer_floor"),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3));
  EXPECT_THAT(nearest({1, 1, 1, 4}, {1, 1, 1, 8}, "align_corners", "floor"), ElementsAre(0, 0, 0, 1, 1, 2, 2, 3));
  EXPECT_THAT(nearest({1, 1, 1, 4}, {1, 1, 1, 2}, "asymmetric", "ceil"), ElementsAre(0, 2));
  EXPECT_THAT(nearest({1, 1, 1, 2}, {1, 1, 1, 4}, "asymmetric", "round_prefer_ceil"), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(nearest({1, 1, 1, 2}, {1, 1, 1, 4}, "asymmetric", "round_prefer_floor"), ElementsAre(0, 0, 1, 1));
  // Float32 computes 6.5000005 and 6.4999995.
  EXPECT_EQ(nearest({1, 1, 1, 14}, {1, 1, 1, 19}, "half_pixel", "round_prefer_floor")[9], 6);
  EXPECT_THAT(nearest({1, 1, 1, 14}, {1, 1, 1, 1}, "half_pixel", "round_prefer_ceil"), ElementsAre(7));
}

std::vector<float> Linear(const Shape& shape, const std::vector<float>& scales, const std::string& coordinates) {
  ModelMaker model(13);
  model.Input("x", shape).Weight("scales", {static_cast<int64_t>(scales.size())}, scales);
  model.Node("Resize", {"x", "", "scales"}, {"y"},
             {{"mode", "linear"}, {"coordinate_transformation_mode", coordinates}});
  model.Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", Counting(shape)}})[0]);
}

TEST(OnnxResize, LiesBetweenTwo) {
  EXPECT_THAT(Linear({1, 1, 1, 2}, {1, 1, 1, 2}, "half_pixel"), ElementsAre(0, 0.25F, 0.75F, 1));
  EXPECT_THAT(Linear({1, 1, 1, 4}, {1, 1, 1, 0.6F}, "half_pixel"),
              ElementsAre(testing::FloatNear(1.0F / 3, 1e-6F), testing::FloatNear(2, 1e-6F)));
  EXPECT_THAT(Linear({1, 1, 1, 4}, {1, 1, 1, 0.6F}, "align_corners"),
              ElementsAre(0, testing::FloatNear(2.1428571F, 1e-6F)));
  EXPECT_THAT(Linear({1, 1, 2, 2}, {1, 1, 2, 2}, "asymmetric"),
              ElementsAre(0, 0.5F, 1, 1, 1, 1.5F, 2, 2, 2, 2.5F, 3, 3, 2, 2.5F, 3, 3));
}

TEST(OnnxResize, BlendsSeveral) {
  const auto resized = [](const Shape& shape, const std::vector<float>& scales,
                          const std::vector<std::pair<std::string, TestAttribute>>& attributes) {
    ModelMaker model(18);
    model.Input("x", shape).Weight("s", {static_cast<int64_t>(scales.size())}, scales);
    model.Node("Resize", {"x", "", "s"}, {"y"}, attributes).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Counting(shape)}})[0]);
  };
  const auto near = [](const std::vector<float>& values) {
    return testing::Pointwise(testing::FloatNear(1e-5F), values);
  };
  // At a quarter the weights for a = -1/2 are -0.0703125, 0.8671875, 0.2265625 and -0.0234375.
  EXPECT_THAT(resized({1, 1, 1, 4}, {1, 1, 1, 2}, {{"mode", "cubic"}, {"cubic_coeff_a", -0.5}}),
              near({-0.0703125F, 0.1796875F, 0.7265625F, 1.25F, 1.75F, 2.2734375F, 2.8203125F, 3.0703125F}));
  // Two of the four taps are excluded; the other weights, 0.87890625 and -0.10546875, are normalised again.
  EXPECT_NEAR(resized({1, 1, 1, 4}, {1, 1, 1, 2}, {{"mode", "cubic"}, {"exclude_outside", int64_t{1}}})[0], -3.0F / 22,
              1e-5F);
  // A triangle filter over four inputs with the weights 1, 3, 3 and 1 of 8.
  EXPECT_THAT(resized({1, 1, 1, 8}, {1, 1, 1, 0.5F}, {{"mode", "linear"}, {"antialias", int64_t{1}}})[1],
              testing::FloatNear(2.5F, 1e-5F));
}

// A cubic of 0 and 255 leaves the range of bytes beside the edge. A mean of 0 and 1 is rounded to the even 0.
TEST(OnnxResize, OfIntegersRoundsAndStaysInRange) {
  const auto resized = [](const std::string& mode, const std::vector<double>& values, int64_t size) {
    const auto count = static_cast<int64_t>(values.size());
    ModelMaker model(18);
    model.IntegerInput("x", 2, {1, 1, 1, count}).Ints("sizes", {1, 1, 1, size});
    model.Node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", mode}}).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Typed(DType::kUInt8, {1, 1, 1, count}, values)}})[0]);
  };
  EXPECT_THAT(resized("cubic", {0, 0, 255, 255}, 8), ElementsAre(0, 0, 0, 58, 197, 255, 255, 255));
  EXPECT_THAT(resized("linear", {0, 1, 4, 9}, 2), ElementsAre(0, 6));
}

TEST(OnnxResize, OfIntegersLosesNoneToRounding) {
  ModelMaker model(13);
  model.IntegerInput("x", 2, {1, 1, 1, 2}).Ints("sizes", {1, 1, 1, 6});
  model.Node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", "linear"}}).Output("y");
  const Tensor x = Tensor::FromVector<uint8_t>(DType::kUInt8, {1, 1, 1, 2}, {0, 3});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), ElementsAre(0, 0, 1, 2, 3, 3));
}

TEST(OnnxResize, RoundsSymmetricPlacesAsOnnxDoes) {
  ModelMaker model(19);
  model.Input("x", {1, 1, 1, 5}).Weight("scales", {4}, {1, 1, 1, 0.7F});
  model.Node("Resize", {"x", "", "scales"}, {"y"},
             {{"nearest_mode", "floor"}, {"coordinate_transformation_mode", "half_pixel_symmetric"}});
  EXPECT_THAT(Values(RunOnnx(model.Output("y").Bytes(), {{"x", Counting({1, 1, 1, 5})}})[0]), ElementsAre(0, 2, 3));
}

TEST(OnnxResize, KeepsTheAspectThatIsAsked) {
  const auto shape = [](const std::string& policy) {
    ModelMaker model(18);
    model.Input("x", {3, 4}).Ints("sizes", {6, 6});
    model.Node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"keep_aspect_ratio_policy", policy}}).Output("y");
    return RunOnnx(model.Bytes(), {{"x", Counting({3, 4})}})[0].shape();
  };
  EXPECT_EQ(shape("stretch"), (Shape{6, 6}));
  EXPECT_EQ(shape("not_larger"), (Shape{5, 6}));  // 4.5 by 6
  EXPECT_EQ(shape("not_smaller"), (Shape{6, 8}));
}

TEST(OnnxResize, CropsAndFillsWhatLiesBeyond) {
  const auto cropped = [](int64_t size) {
    ModelMaker model(18);
    model.Input("x", {3}).Weight("roi", {2}, {0.5F, 1.5F}).Ints("sizes", {size});
    const std::vector<std::pair<std::string, TestAttribute>> attributes{
        {"coordinate_transformation_mode", "tf_crop_and_resize"}, {"mode", "linear"}, {"extrapolation_value", 10.0}};
    model.Node("Resize", {"x", "roi", "", "sizes"}, {"y"}, attributes).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Counting({3})}})[0]);
  };
  EXPECT_THAT(cropped(3), ElementsAre(1, 2, 10));
  EXPECT_THAT(cropped(5), ElementsAre(1, 1.5, 2, 10, 10));
  EXPECT_THAT(cropped(1), ElementsAre(2));
}

TEST(OnnxResize, OldFormsTakeScales) {
  ModelMaker model(9);
  model.Input("x", {1, 1, 1, 2}).Weight("scales", {4}, {1, 1, 2, 2});
  model.Node("Upsample", {"x", "scales"}, {"y"}, {{"mode", "nearest"}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 1, 2})}})[0]), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
}

// ONNX's shape inference and ONNX Runtime multiply in float32: 10 times 0.7 is 7 there, and 6.99... in float64.
TEST(OnnxResize, MultipliesLengthsInFloat32) {
  EXPECT_EQ(Linear({1, 1, 1, 10}, {1, 1, 1, 0.7F}, "half_pixel").size(), 7U);
  EXPECT_EQ(Linear({1, 1, 1, 9}, {1, 1, 1, 1.0F / 3}, "half_pixel").size(), 3U);
  ModelMaker model(9);
  model.Input("x", {1, 1, 1, 10}).Weight("scales", {4}, {1, 1, 1, 0.7F});
  model.Node("Upsample", {"x", "scales"}, {"y"}, {{"mode", "nearest"}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 1, 10})}})[0]), ElementsAre(0, 1, 2, 4, 5, 7, 8));
}

TEST(OnnxResize, RefusesWhatItCannot) {
  const auto error = [](const std::string& name, const TestAttribute& value, const Ints& sizes) {
    ModelMaker model(18);
    model.Input("x", {1, 1, 2, 2}).Ints("sizes", sizes);
    model.Node("Resize", {"x", "", "", "sizes"}, {"y"}, {{name, value}}).Output("y");
    return ImportError(model.Bytes());
  };
  const Ints doubled{1, 1, 4, 4};
  EXPECT_THAT(error("mode", "area", doubled), HasSubstr("\"nearest\", \"linear\" and \"cubic\" are"));
  EXPECT_THAT(error("coordinate_transformation_mode", "tf_crop_and_resize", doubled), HasSubstr("its roi must be 8"));
  EXPECT_THAT(error("coordinate_transformation_mode", "mirror", doubled), HasSubstr("=\"mirror\" is not supported"));
  EXPECT_THAT(error("keep_aspect_ratio_policy", "bend", doubled), HasSubstr("=\"bend\" is not known"));
  EXPECT_THAT(error("mode", "nearest", {4, 4}), HasSubstr("2 sizes; 4 is right"));
  EXPECT_THAT(error("mode", "nearest", {1, 1, 0, 4}), HasSubstr("nothing is left"));
  EXPECT_THAT(error("mode", "nearest", {1, 1, int64_t{1} << 62, 4}), HasSubstr("is the most"));
}

}  // namespace
}  // namespace hone
