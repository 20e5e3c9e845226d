// The expected numbers are from ONNX Runtime for the same inputs.
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Conv, StridesAndUnevenPadding) {
  const Attrs attrs{{"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 2, 1}}};
  EXPECT_THAT(
      RunFor("nn.conv2d", {Saw({1, 2, 5, 5}, 7, 3), Saw({2, 2, 3, 3}, 5, 2)}, attrs),
      ElementsAre(0, -13, -12, -5, -21, -10, 29, 5, 12, 19, -9, -10, -4, 7, -3, 14, 38, 11, -9, -11, -13, -12, -11, 2));
}

TEST(Conv, Dilation) {
  const Attrs attrs{{"dilation", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}};
  EXPECT_THAT(RunFor("nn.conv2d", {Saw({1, 2, 5, 5}, 7, 3), Saw({2, 2, 3, 3}, 5, 2)}, attrs),
              ElementsAre(12, 8, -2, -7, 11, 19, -10, -19, -9, 9, -10, -10, 0, 16, 1, 12, 8, -2));
}

TEST(Conv, GroupsOfASecondImage) {
  const auto all = RunFor("nn.conv2d", {Saw({2, 4, 3, 3}, 7, 3), Saw({6, 2, 2, 2}, 5, 2)}, {{"groups", int64_t{2}}});
  ASSERT_EQ(all.size(), 48u);
  EXPECT_THAT(std::vector<double>(all.begin() + 24, all.end()),
              ElementsAre(2, 6, 7, -10, 5, -8, 8, 9, 3, 3, -11, 3, -8, 5, -4, 9, 6, 2, -6, -10, -10, -6, 2, 6));
}

TEST(Conv, TwoThreadsMissNoOutput) {
  // Large enough for two threads. With ones everywhere an output counts the taps that meet data.
  const Tensor data = Floats({1, 64, 24, 24}, std::vector<float>(64 * 24 * 24, 1));
  const Tensor weight = Floats({64, 64, 3, 3}, std::vector<float>(64 * 64 * 9, 1));
  const Tensor result = RunOp("nn.conv2d", {data, weight}, {{"padding", Ints{1, 1, 1, 1}}})[0];
  const auto taps = [](int64_t at) { return at == 0 || at == 23 ? 2 : 3; };
  for (int64_t i = 0; i < result.elements(); ++i) {
    ASSERT_EQ(result.At(i), 64 * taps(i / 24 % 24) * taps(i % 24)) << i;
  }
}

TEST(ConvTranspose, StridesPaddingAndOutputPadding) {
  const Attrs attrs{{"strides", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}};
  EXPECT_THAT(RunFor("nn.conv2d_transpose", {Saw({1, 2, 2, 3}, 7, 3), Saw({2, 2, 3, 3}, 5, 2)}, attrs),
              ElementsAre(-6, 10, -4, 2, -2, 0, -8, -10, 5, -5, 4, -1, 0, 0, 2, -1, 4, -3, 2, 0, 0, 1, -2, 1, -6, 0, 1,
                          0, 1, -2, 8, -5, -6, 9, -6, 4, 1, 0, 1, 0, 1, 4, -2, 0, -1, -3, 0, -2));
}

TEST(ConvTranspose, GroupsAndDilation) {
  const Attrs attrs{{"groups", int64_t{2}}, {"dilation", Ints{2, 1}}};
  EXPECT_THAT(RunFor("nn.conv2d_transpose", {Saw({1, 4, 2, 2}, 7, 3), Saw({4, 1, 2, 2}, 5, 2)}, attrs),
              ElementsAre(8, 9, -2, 8, -11, 6, -1, -5, -2, -3, 2, 0, -2, -3, 1, 0, -2, 0, 8, 6, -5, -6, 0, 3));
}

TEST(ConvType, FollowsTheLogicalShapes) {
  const TypePtr data = TensorType({kAnyDim, 3, 224, kAnyDim});
  const Attrs attrs{{"strides", Ints{2, 2}}, {"padding", Ints{3, 3, 3, 3}}};
  EXPECT_EQ(ResultType("nn.conv2d", {data, TensorType({64, 3, 7, 7})}, attrs), "Tensor[(?, 64, 112, ?), float32]");
}

TEST(ConvType, FillsTheWeightFromDataAndAttributes) {
  const Attrs attrs{{"channels", int64_t{8}}, {"kernel_size", Ints{3, 3}}, {"groups", int64_t{2}}};
  const FunctionPtr function = CallFunction("nn.conv2d", {TensorType({1, 4, 5, 5}), nullptr}, attrs);
  EXPECT_EQ(ToText(function->params[1]->type), "Tensor[(8, 2, 3, 3), float32]");
  EXPECT_EQ(ToText(function->body->type), "Tensor[(1, 8, 3, 3), float32]");
}

TEST(ConvType, TakesItsLayoutFromTheAttributes) {
  const TypePtr weight = TensorType({32, 16, 1, 1});
  const TypePtr data = TensorType({1, 16, 4, 4}, DType::kFloat32, "NCHW8c");
  EXPECT_EQ(ResultType("nn.conv2d", {data, weight}, {{"data_layout", "NCHW8c"}, {"out_layout", "NCHW16c"}}),
            "Tensor[(1, 32, 4, 4), float32, NCHW16c]");
  EXPECT_EQ(ResultType("nn.conv2d", {data, weight}, {{"data_layout", "NCHW8c"}, {"out_layout", "NCHW"}}),
            "Tensor[(1, 32, 4, 4), float32]");
  EXPECT_THAT(ResultType("nn.conv2d", {data, weight}), HasSubstr("data lies as NCHW8c, data_layout is NCHW"));
}

// Permutes the axes of NCHW.
Tensor Turned(const Tensor& tensor, const std::string& from, const std::string& to) {
  Ints axes;
  for (const char axis : to) axes.push_back(static_cast<int64_t>(from.find(axis)));
  return RunOp("transpose", {tensor}, {{"axes", axes}})[0];
}

TEST(Conv, LayoutsAreOrdersOfTheShapesAxes) {
  const Tensor data = Saw({2, 4, 5, 7}, 7, 3), weight = Saw({6, 2, 3, 2}, 5, 2);
  const Attrs plain{{"groups", int64_t{2}}, {"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 2, 1}}};
  const Tensor want = RunOp("nn.conv2d", {data, weight}, plain)[0];
  for (const std::string images : {"NCHW", "NHWC"}) {
    for (const std::string kernel : {"OIHW", "HWIO", "OHWI", "HWOI"}) {
      for (const std::string out : {"", "NCHW", "NHWC"}) {
        SCOPED_TRACE(images + " " + kernel + " " + out);
        Attrs attrs = plain;
        attrs.Set("data_layout", images);
        attrs.Set("kernel_layout", kernel);
        attrs.Set("out_layout", out);
        attrs.Set("kernel_size", Ints{3, 2});
        attrs.Set("channels", int64_t{6});
        const Tensor x = Turned(data, "NCHW", images), w = Turned(weight, "OIHW", kernel);
        EXPECT_EQ(Values(RunOp("nn.conv2d", {x, w}, attrs)[0]),
                  Values(Turned(want, "NCHW", out.empty() ? images : out)));
        const FunctionPtr filled = CallFunction("nn.conv2d", {TensorType(x.shape()), nullptr}, attrs);
        EXPECT_EQ(filled->params[1]->type->shape, w.shape());
      }
    }
  }
}

TEST(Conv, BytesAreSummedInInt32) {
  const Attrs attrs{{"out_dtype", "int32"}, {"padding", Ints{1}}};
  const Tensor weight = Saw({2, 3, 3, 3}, 255, 127).As(DType::kInt8);
  for (const DType dtype : {DType::kInt8, DType::kUInt8}) {
    const Tensor data = Saw({1, 3, 4, 4}, dtype == DType::kInt8 ? 200 : 100, dtype == DType::kInt8 ? 100 : 0);
    EXPECT_EQ(RunFor("nn.conv2d", {data.As(dtype), weight}, attrs),
              RunFor("nn.conv2d", {data, weight.As(DType::kFloat32)}, {{"padding", Ints{1}}}));
  }
  const TypePtr bytes = TensorType({1, 3, 8, 8}, DType::kInt8);
  const FunctionPtr filled = CallFunction(
      "nn.conv2d", {bytes, nullptr}, {{"out_dtype", "int32"}, {"channels", int64_t{4}}, {"kernel_size", Ints{3, 3}}});
  EXPECT_EQ(ToText(filled->params[1]->type), "Tensor[(4, 3, 3, 3), int8]");
}

TEST(Conv, HalvesGiveHalvesOrFloats) {
  const Tensor data = Saw({1, 2, 3, 3}, 7, 3).As(DType::kFloat16), weight = Saw({2, 2, 3, 3}, 5, 2).As(DType::kFloat16);
  EXPECT_EQ(RunOp("nn.conv2d", {data, weight})[0].dtype(), DType::kFloat16);
  const Tensor floats = RunOp("nn.conv2d", {data, weight}, {{"out_dtype", "float32"}})[0];
  EXPECT_EQ(floats.dtype(), DType::kFloat32);
  EXPECT_EQ(Values(floats), RunFor("nn.conv2d", {Saw({1, 2, 3, 3}, 7, 3), Saw({2, 2, 3, 3}, 5, 2)}));
}

TEST(ConvType, SaysWhichLayoutsAndTypesThereAre) {
  const auto with = [](DType data, DType weight, const Attrs& attrs) {
    return ResultType("nn.conv2d", {TensorType({1, 3, 8, 8}, data), TensorType({4, 3, 3, 3}, weight)}, attrs);
  };
  const DType real = DType::kFloat32, half = DType::kFloat16, byte = DType::kInt8;
  EXPECT_THAT(with(real, real, {{"data_layout", "NWHC"}}),
              HasSubstr("data_layout = \"NWHC\" must be one of NCHW, NHWC"));
  EXPECT_THAT(with(real, real, {{"kernel_layout", "IOHW"}}), HasSubstr("kernel_layout = \"IOHW\" must be one of OIHW"));
  EXPECT_THAT(with(real, real, {{"out_layout", "NCHW16c"}}), HasSubstr("out_layout = \"NCHW16c\" must be one of NCHW"));
  EXPECT_THAT(with(real, real, {{"data_layout", "NHWC"}}), HasSubstr("data has 8 channels, weight takes 3"));
  EXPECT_THAT(with(real, real, {{"out_dtype", "float16"}}),
              HasSubstr("out_dtype = \"float16\" of float32 data and float32 weights must be float32"));
  EXPECT_THAT(with(half, half, {{"out_dtype", "int32"}}), HasSubstr("weights must be float16 or float32"));
  EXPECT_THAT(with(byte, byte, {}), HasSubstr("out_dtype = \"\" of int8 data and int8 weights must be int32"));
  EXPECT_THAT(with(byte, byte, {{"out_dtype", "float32"}}), HasSubstr("must be int32"));
  EXPECT_THAT(with(byte, DType::kUInt8, {{"out_dtype", "int32"}}),
              HasSubstr("weight is uint8, it must be int8 with data of int8"));
  EXPECT_THAT(with(half, real, {}), HasSubstr("weight is float32, it must be float16 with data of float16"));
  EXPECT_THAT(with(real, byte, {}), HasSubstr("weight is int8"));
}

TEST(ConvType, SaysWhatDoesNotFit) {
  const TypePtr data = TensorType({1, 3, 8, 8});
  const auto with = [&](Shape weight, const Attrs& attrs = {}) {
    return ResultType("nn.conv2d", {data, TensorType(std::move(weight))}, attrs);
  };
  EXPECT_EQ(with({8, 4, 3, 3}), "node nn.conv2d (call 1): data has 3 channels, weight takes 4");
  EXPECT_THAT(with({8, 3, 9, 3}), HasSubstr("a kernel that reaches 9 does not fit in 8 with padding 0 + 0"));
  EXPECT_THAT(with({8, 1, 3, 3}, {{"groups", int64_t{3}}}), HasSubstr("groups = 3 must divide 8 channels"));
  EXPECT_THAT(with({8, 3, 3, 3}, {{"groups", int64_t{0}}}), HasSubstr("groups = 0"));
  EXPECT_THAT(with({8, 3, 3, 3}, {{"strides", Ints{0, 1}}}), HasSubstr("strides = [0, 1]"));
  EXPECT_THAT(with({8, 3, 3, 3}, {{"padding", Ints{1, 1, 1}}}), HasSubstr("padding = [1, 1, 1] must have 4 numbers"));
  EXPECT_THAT(with({8, 3, 3, 3}, {{"channels", int64_t{9}}}), HasSubstr("channels = 9, weight gives 8"));
  EXPECT_THAT(with({8, 3, 3, 3}, {{"kernel_size", Ints{1, 3}}}), HasSubstr("kernel_size = [1, 3], weight has 3x3"));
  EXPECT_THAT(with({8, 3, 3}), HasSubstr("must have 4 dims"));
}

}  // namespace
}  // namespace hone::relay
