// Quantised operators against values worked out by hand and against plain integer loops.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using onnx::TensorProto;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using Dims = std::vector<int64_t>;

constexpr int kU8 = TensorProto::UINT8;
constexpr int kS8 = TensorProto::INT8;
constexpr int kS32 = TensorProto::INT32;

int CountOf(const std::string& bytes, std::string_view op) {
  int count = 0;
  relay::PostOrderVisit(ImportOnnxBytes(bytes, "m").module.main,
                        [&](const relay::ExprPtr& expr) { count += relay::AsCallTo(expr, op) != nullptr ? 1 : 0; });
  return count;
}

// Input x is 1 x C x 3 x 3. The weights are O x C x 3 x 3 without padding, so each output channel is one sum.
struct LongSum {
  int64_t channels;
  std::vector<int> x, w;
  std::vector<int64_t> sums;
};

LongSum MakeLongSum(int64_t channels, int64_t outputs, int x_zero, bool extreme) {
  LongSum sum{channels, {}, {}, {}};
  Random random(static_cast<uint64_t>(channels));
  const auto count = static_cast<size_t>(channels * 9);
  for (size_t i = 0; i < count; ++i) sum.x.push_back(extreme ? 255 : static_cast<int>(random.Below(256)));
  for (int64_t o = 0; o < outputs; ++o) {
    int64_t total = 0;
    for (size_t i = 0; i < count; ++i) {
      // The last weight is one less, for an odd sum, which float32 cannot represent past 2^24.
      const int most = i + 1 == count ? 126 : 127;
      sum.w.push_back(extreme ? (o == 0 ? most : -most) : static_cast<int>(random.Below(256)) - 128);
      total += static_cast<int64_t>(sum.x[i] - x_zero) * sum.w.back();
    }
    sum.sums.push_back(total);
  }
  return sum;
}

std::vector<double> Doubles(const std::vector<int>& values) { return {values.begin(), values.end()}; }

TEST(ConvInteger, IsExactHoweverLongTheSum) {
  // Sums within 2^24, past it, and past the capacity of two digits.
  for (const int64_t channels : {5, 200, 1000}) {
    const LongSum sum = MakeLongSum(channels, 2, 0, true);
    ModelMaker model;
    model.IntegerInput("x", kU8, {1, channels, 3, 3}).Integers("w", kS8, {2, channels, 3, 3}, sum.w);
    model.Node("ConvInteger", {"x", "w"}, {"y"}).Output("y");
    const Tensor x = Typed(DType::kUInt8, {1, channels, 3, 3}, Doubles(sum.x));
    const Tensor y = RunOnnx(model.Bytes(), {{"x", x}})[0];
    ASSERT_EQ(y.dtype(), DType::kInt32);
    EXPECT_EQ(y.data<int32_t>()[0], sum.sums[0]) << channels;
    EXPECT_EQ(y.data<int32_t>()[1], sum.sums[1]) << channels;
  }
  const LongSum small = MakeLongSum(5, 2, 0, true);
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 5, 3, 3}).Integers("w", kS8, {2, 5, 3, 3}, small.w);
  model.Node("ConvInteger", {"x", "w"}, {"y"}).Output("y");
  EXPECT_EQ(CountOf(model.Bytes(), "nn.conv2d"), 1);
}

TEST(ConvInteger, LongSumsOfKnownWeightsStayBytes) {
  const auto convolutions = [](const char* x, const char* w, std::vector<std::string> zero) {
    ModelMaker model;
    model.IntegerInput("x", kU8, {1, 200, 5, 5}).Integers("w", kS8, {2, 200, 3, 3}, std::vector<int>(3600, -127));
    model.IntegerInput("given", kS8, {2, 200, 3, 3}).Integers("xz", kU8, {}, {7});
    std::vector<std::string> inputs{x, w};
    inputs.insert(inputs.end(), zero.begin(), zero.end());
    model.Node("ConvInteger", inputs, {"y"}, {{"pads", Dims{1, 1, 1, 1}}}).Output("y");
    return CountOf(model.Bytes(), "nn.conv2d");
  };
  EXPECT_EQ(convolutions("x", "w", {}), 1);
  EXPECT_EQ(convolutions("x", "w", {"xz"}), 1);
  EXPECT_EQ(convolutions("x", "given", {}), 2);  // two digits, a convolution each
}

TEST(ConvInteger, AddsTheDigitsOfWeightsThatAreInputs) {
  const LongSum sum = MakeLongSum(200, 2, 0, true);
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 200, 3, 3}).IntegerInput("w", kS8, {2, 200, 3, 3});
  model.Node("ConvInteger", {"x", "w"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Typed(DType::kUInt8, {1, 200, 3, 3}, Doubles(sum.x))},
                                           {"w", Typed(DType::kInt8, {2, 200, 3, 3}, Doubles(sum.w))}})[0];
  EXPECT_THAT(Values(y), ElementsAre(sum.sums[0], sum.sums[1]));
}

TEST(ConvInteger, PadsWithTheZeroPoint) {
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 1, 2, 2}).Integers("w", kU8, {1, 1, 3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2});
  model.Integers("xz", kU8, {}, {1}).Integers("wz", kU8, {}, {1});
  model.Node("ConvInteger", {"x", "w", "xz", "wz"}, {"y"}, {{"pads", Dims{1, 1, 1, 1}}}).Output("y");
  const Tensor x = Typed(DType::kUInt8, {1, 1, 2, 2}, {2, 3, 4, 5});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), ElementsAre(10, 10, 10, 10));
}

// The zero point of DynamicQuantizeLinear, which is an input here. Sums equal those with a known zero point.
TEST(ConvInteger, TakesAComputedZeroPointOffSumsOfBytes) {
  Random random(5);
  const auto run = [&](int64_t groups, int64_t inputs, bool is_signed, bool known) {
    const int64_t channels = groups * inputs, outputs = inputs == 1 ? groups : 2 * groups;
    std::vector<int> w(static_cast<size_t>(outputs * inputs * 9));
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int>(i * 37 % 255) - 127;
    ModelMaker model;
    const int type = is_signed ? kS8 : kU8, zero = is_signed ? -100 : 200;
    model.IntegerInput("x", type, {1, channels, 4, 3}).Integers("w", kS8, {outputs, inputs, 3, 3}, w);
    if (known) model.Integers("z", type, {}, {zero});
    if (!known) model.IntegerInput("z", type, {});
    model.Node("ConvInteger", {"x", "w", "z"}, {"y"}, {{"pads", Dims{1, 0, 2, 1}}, {"group", groups}}).Output("y");
    EXPECT_EQ(CountOf(model.Bytes(), "nn.conv2d"), 1);
    const DType dtype = is_signed ? DType::kInt8 : DType::kUInt8;
    std::vector<double> x(static_cast<size_t>(channels * 12));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 101 % 256) - (is_signed ? 128 : 0);
    std::vector<std::pair<std::string, Tensor>> inputs_of{{"x", Typed(dtype, {1, channels, 4, 3}, x)}};
    if (!known) inputs_of.emplace_back("z", Typed(dtype, {}, {static_cast<double>(zero)}));
    return Values(RunOnnx(model.Bytes(), {inputs_of.begin(), inputs_of.end()})[0]);
  };
  for (const bool is_signed : {false, true}) {
    EXPECT_EQ(run(1, 3, is_signed, false), run(1, 3, is_signed, true));
    EXPECT_EQ(run(2, 4, is_signed, false), run(2, 4, is_signed, true));
    EXPECT_EQ(run(5, 1, is_signed, false), run(5, 1, is_signed, true));
    EXPECT_EQ(run(2, 3, is_signed, false), run(2, 3, is_signed, true));
  }
}

TEST(ConvInteger, OfAComputedZeroPointIsOneOfBytes) {
  const auto data_of = [](int64_t inputs, const std::string& zero) {
    ModelMaker model;
    model.IntegerInput("x", kU8, {1, 2 * inputs, 3, 3}).IntegerInput("z", kU8, {}).Integers("known", kU8, {}, {7});
    model.Integers("w", kS8, {2, inputs, 3, 3}, std::vector<int>(static_cast<size_t>(18 * inputs), 3));
    model.Node("ConvInteger", {"x", "w", zero}, {"y"}, {{"group", int64_t{2}}}).Output("y");
    DType data = DType::kBool;
    const relay::IRModule module = relay::InferType(ImportOnnxBytes(model.Bytes(), "m").module);
    relay::PostOrderVisit(module.main, [&](const relay::ExprPtr& expr) {
      if (const auto* conv = relay::AsCallTo(expr, "nn.conv2d")) data = conv->args[0]->type->dtype;
    });
    return data;
  };
  EXPECT_EQ(data_of(4, "z"), DType::kUInt8);
  EXPECT_EQ(data_of(3, "z"), DType::kFloat32) << "groups of three channels";
  EXPECT_EQ(data_of(1, "z"), DType::kFloat32) << "depthwise";
  EXPECT_EQ(data_of(4, "known"), DType::kFloat32) << "becomes one of bytes later";
}

// One spatial dimension, padded with the zero point at one end.
TEST(ConvInteger, TakesRows) {
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 2, 4}).Integers("w", kS8, {1, 2, 2}, {1, -2, 3, 4}).Integers("xz", kU8, {}, {1});
  model.Node("ConvInteger", {"x", "w", "xz"}, {"y"}, {{"pads", Dims{1, 0}}, {"strides", Dims{2}}}).Output("y");
  const Tensor x = Typed(DType::kUInt8, {1, 2, 4}, {2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor y = RunOnnx(model.Bytes(), {{"x", x}})[0];
  EXPECT_EQ(y.shape(), Shape({1, 1, 2}));
  EXPECT_THAT(Values(y), ElementsAre(18, 42));
}

TEST(DynamicQuantizeMatMul, QuantisesWhatItMultiplies) {
  ModelMaker model;
  model.Input("a", {1, 2}).Integers("b", kS8, {2, 2}, {1, -2, 3, 4}).Weight("bs", {2}, {0.5, 2});
  model.Integers("bz", kS8, {2}, {0, 1}).Weight("c", {2}, {1, -1});
  model.Node("DynamicQuantizeMatMul", {"a", "b", "bs", "bz", "c"}, {"y"}).Domain("com.microsoft").Output("y");
  // With scale 1, a is 255 and 51; b - z is [1 -3; 3 3].
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"a", Typed(DType::kFloat32, {1, 2}, {255, 51})}})[0]),
              ElementsAre(205, -1225));
}

// saturate(round(sum * scale) + zero point) with the sum as float32.
float Requantised(int64_t sum, float scale, int zero) {
  const double whole = std::nearbyint(static_cast<double>(static_cast<float>(sum) * scale)) + zero;
  return static_cast<float>(std::min(255.0, std::max(0.0, whole)));
}

TEST(QLinearConv, RequantisesExactSumsPerChannel) {
  for (const int64_t channels : {3, 700}) {
    const LongSum sum = MakeLongSum(channels, 4, 7, false);
    const std::vector<float> w_scales{0.01F, 0.5F, 0.002F, 3};
    const std::vector<int> bias{5, -70000, 0, 1 << 25};
    ModelMaker model;
    model.IntegerInput("x", kU8, {1, channels, 3, 3}).Weight("xs", {}, {0.02F}).Integers("xz", kU8, {}, {7});
    model.Integers("w", kS8, {4, channels, 3, 3}, sum.w).Weight("ws", {4}, w_scales);
    model.Integers("wz", kS8, {4}, {0, 0, 0, 0}).Weight("ys", {}, {1.5F}).Integers("yz", kU8, {}, {100});
    model.Integers("b", kS32, {4}, bias);
    model.Node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"}).Output("y");
    const Tensor x = Typed(DType::kUInt8, {1, channels, 3, 3}, Doubles(sum.x));
    std::vector<float> want;
    for (size_t o = 0; o < 4; ++o) want.push_back(Requantised(sum.sums[o] + bias[o], 0.02F * w_scales[o] / 1.5F, 100));
    EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), ElementsAreArray(want)) << channels;
  }
}

TEST(QLinearConv, TakesRows) {
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 1, 3}).Weight("xs", {}, {0.5F}).Integers("xz", kU8, {}, {10});
  model.Integers("w", kS8, {2, 1, 2}, {1, 2, -3, 4}).Weight("ws", {2}, {1, 2}).Integers("wz", kS8, {2}, {0, 0});
  model.Weight("ys", {}, {0.25F}).Integers("yz", kU8, {}, {100});
  model.Node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Typed(DType::kUInt8, {1, 1, 3}, {11, 12, 14})}})[0];
  EXPECT_EQ(y.shape(), Shape({1, 2, 2}));
  EXPECT_THAT(Values(y), ElementsAre(110, 120, 120, 140));
}

TEST(QLinearMatMul, MatchesTheExampleOfItsPage) {
  ModelMaker model;
  model.IntegerInput("a", kU8, {2, 4}).Weight("as", {1}, {0.0066F}).Integers("az", kU8, {1}, {113});
  model.Integers("b", kU8, {4, 3}, {152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247});
  model.Weight("bs", {1}, {0.00705F}).Integers("bz", kU8, {1}, {114});
  model.Weight("ys", {1}, {0.0107F}).Integers("yz", kU8, {1}, {118});
  model.Node("QLinearMatMul", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"}).Output("y");
  const Tensor a = Typed(DType::kUInt8, {2, 4}, {208, 236, 0, 238, 3, 214, 255, 29});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"a", a}})[0]), ElementsAre(168, 115, 255, 1, 66, 151));
}

TEST(QGemm, AddsTheIntegersOfCAndGivesFloatsWithoutAResultScale) {
  for (const bool real : {false, true}) {
    ModelMaker model;
    model.IntegerInput("a", kU8, {1, 2}).Weight("as", {}, {0.5}).Integers("az", kU8, {}, {1});
    model.Integers("b", kS8, {2, 2}, {1, 2, 3, 4}).Weight("bs", {2}, {2, 4}).Integers("bz", kS8, {2}, {0, 0});
    model.Integers("c", kS32, {2}, {10, -1}).Weight("ys", {}, {2}).Integers("yz", kU8, {}, {3});
    std::vector<std::string> inputs{"a", "as", "az", "b", "bs", "bz", "c", "ys", "yz"};
    if (real) inputs.resize(7);
    model.Node("QGemm", inputs, {"y"}, {{"transB", int64_t{1}}}).Domain("com.microsoft").Output("y");
    // a - z = [2 4]; sums [10, 22] with C [20, 21]; scales [1, 2].
    const auto y = Values(RunOnnx(model.Bytes(), {{"a", Typed(DType::kUInt8, {1, 2}, {3, 5})}})[0]);
    EXPECT_THAT(y, real ? ElementsAre(20, 42) : ElementsAre(13, 24));
  }
}

// Runs one of ONNX Runtime's operators on u8 data with scale 0.5 and zero point 10.
std::vector<float> RunQLinear(const std::string& op, const Shape& shape, const std::vector<double>& x,
                              const std::vector<std::pair<std::string, TestAttribute>>& attributes = {}) {
  ModelMaker model;
  model.IntegerInput("x", kU8, shape).Weight("s", {}, {0.5}).Integers("z", kU8, {}, {10});
  model.Weight("ys", {}, {0.25}).Integers("yz", kU8, {}, {20});
  model.Node(op, {"x", "s", "z", "ys", "yz"}, {"y"}, attributes).Domain("com.microsoft").Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", Typed(DType::kUInt8, shape, x)}})[0]);
}

TEST(QLinear, UnaryOperatorsWorkOnTheRealValues) {
  EXPECT_THAT(RunQLinear("QLinearLeakyRelu", {3}, {10, 14, 2}, {{"alpha", 0.5}}), ElementsAre(20, 28, 12));
  EXPECT_THAT(RunQLinear("QLinearSigmoid", {3}, {10, 30, 0}), ElementsAre(22, 24, 20));
  EXPECT_THAT(RunQLinear("QLinearGlobalAveragePool", {1, 1, 2, 2}, {10, 12, 14, 16}), ElementsAre(26));
  EXPECT_THAT(RunQLinear("QLinearAveragePool", {1, 1, 2, 2}, {10, 12, 14, 16}, {{"kernel_shape", Dims{1, 2}}}),
              ElementsAre(22, 30));
  EXPECT_THAT(RunQLinear("QLinearGlobalAveragePool", {1, 2, 2}, {10, 12, 14, 16}), ElementsAre(22, 30));
  EXPECT_THAT(RunQLinear("QLinearAveragePool", {1, 1, 4}, {10, 12, 14, 16}, {{"kernel_shape", Dims{3}}}),
              ElementsAre(24, 28));
  EXPECT_THAT(RunQLinear("QLinearSoftmax", {1, 2}, {10, 10}), ElementsAre(22, 22));
}

TEST(QLinear, BinaryOperatorsAndConcatTakeAScaleForEachInput) {
  for (const std::string op : {"QLinearAdd", "QLinearMul", "QLinearConcat"}) {
    ModelMaker model;
    model.IntegerInput("a", kU8, {2}).Weight("as", {}, {2}).Integers("az", kU8, {}, {1});
    model.IntegerInput("b", kU8, {2}).Weight("bs", {}, {1}).Integers("bz", kU8, {}, {4});
    model.Weight("ys", {}, {2}).Integers("yz", kU8, {}, {3});
    if (op == "QLinearConcat") {
      model.Node(op, {"ys", "yz", "a", "as", "az", "b", "bs", "bz"}, {"y"}, {{"axis", int64_t{0}}});
    } else {
      model.Node(op, {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"});
    }
    model.Domain("com.microsoft").Output("y");
    // a is [4, 0], b is [3, -4].
    const Tensor a = Typed(DType::kUInt8, {2}, {3, 1}), b = Typed(DType::kUInt8, {2}, {7, 0});
    const auto y = Values(RunOnnx(model.Bytes(), {{"a", a}, {"b", b}})[0]);
    if (op == "QLinearAdd") {
      EXPECT_THAT(y, ElementsAre(7, 1));  // 7 / 2 is 4, -4 / 2 is -2
    } else if (op == "QLinearMul") {
      EXPECT_THAT(y, ElementsAre(9, 3));  // 12 / 2 is 6
    } else {
      EXPECT_THAT(y, ElementsAre(5, 3, 5, 1));  // 3 / 2 is 2
    }
  }
}

TEST(Quantised, RefusesScalesByWhichNothingIsQuantised) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [scale, text] : {std::pair(0.0F, "0"), {-0.5F, "-0.5"}, {kNaN, "nan"}, {kInfinity, "inf"}}) {
    const char* const cause = "; a mask of minus infinity makes such scales: quantise a model with a finite mask";
    const std::string why =
        fmt::format("scale, has the value {}; it must be positive and finite{}", text, std::isinf(scale) ? cause : "");
    ModelMaker to, from, product;
    to.Input("x", {1, 2}).Weight("s", {2}, {1, scale}).Node("QuantizeLinear", {"x", "s"}, {"y"}).Output("y");
    EXPECT_EQ(ImportError(to.Bytes()), "node \"y\" (QuantizeLinear): input 1, a " + why);
    from.IntegerInput("x", kS8, {2}).Weight("s", {}, {scale}).Node("DequantizeLinear", {"x", "s"}, {"y"}).Output("y");
    EXPECT_EQ(ImportError(from.Bytes()), "node \"y\" (DequantizeLinear): input 1, a " + why);
    product.IntegerInput("x", kU8, {1, 2}).Integers("w", kU8, {2, 1}, {1, 2}).Integers("z", kU8, {}, {0});
    product.Weight("s", {}, {1}).Weight("t", {}, {scale});
    product.Node("QLinearMatMul", {"x", "s", "z", "w", "t", "z", "s", "z"}, {"y"}).Output("y");
    EXPECT_EQ(ImportError(product.Bytes()), "node \"y\" (QLinearMatMul): input 4, a " + why);
  }
}

TEST(Quantised, RefusesZeroPointsThatTheirTypeDoesNotHold) {
  for (const auto& [type, zero] : {std::pair(kU8, 256), {kU8, -1}, {kS8, 128}, {kS8, -129}}) {
    ModelMaker model;
    model.Input("x", {2}).Weight("s", {}, {1}).Integers("z", type, {}, {zero});
    model.Node("QuantizeLinear", {"x", "s", "z"}, {"y"}).Output("y");
    EXPECT_THAT(ImportError(model.Bytes()), HasSubstr(fmt::format("int8 holds no {}, which its element 0 is", zero)));
  }
}

TEST(Quantised, PoolsPlanesWhoseChannelsComeLast) {
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, 1, 2, 3}).Weight("s", {}, {1}).Integers("z", kU8, {}, {1});
  model.Node("QLinearGlobalAveragePool", {"x", "s", "z", "s", "z"}, {"y"}, {{"channels_last", int64_t{1}}});
  model.Domain("com.microsoft").Output("y");
  const Tensor x = Tensor::FromVector<uint8_t>(DType::kUInt8, {1, 1, 2, 3}, {1, 2, 3, 5, 6, 255});
  const Tensor y = RunOnnx(model.Bytes(), {{"x", x}})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 1, 1, 3}));
  EXPECT_THAT(Values(y), ElementsAre(3, 4, 129));
}

TEST(Quantised, RefusesInOneLineWhatIsNotRead) {
  ModelMaker wrong_zero;
  wrong_zero.IntegerInput("x", kU8, {2}).Weight("s", {}, {1}).Integers("z", kS8, {}, {1});
  wrong_zero.Node("DequantizeLinear", {"x", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(wrong_zero.Bytes()), HasSubstr("of the data's type"));
  ModelMaker scales;
  scales.Input("x", {1, 3}).Weight("s", {2}, {1, 2}).Node("QuantizeLinear", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(scales.Bytes()), HasSubstr("one for each position of axis 1"));
  ModelMaker last;
  last.IntegerInput("x", kU8, {1, 2, 2, 3}).Weight("s", {}, {1}).Integers("z", kU8, {}, {0});
  last.Node("QLinearAveragePool", {"x", "s", "z", "s", "z"}, {"y"},
            {{"channels_last", int64_t{1}}, {"kernel_shape", std::vector<int64_t>{1, 1}}});
  last.Domain("com.microsoft").Output("y");
  EXPECT_THAT(ImportError(last.Bytes()), HasSubstr("channels_last=1 is not supported"));
  ModelMaker wide;
  wide.IntegerInput("a", kS32, {1, 2}).Integers("b", kS8, {2, 1}, {1, 2});
  wide.Node("MatMulInteger", {"a", "b"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(wide.Bytes()), HasSubstr("input 0 is int32; uint8 and int8 are multiplied"));
  ModelMaker unequal;
  unequal.IntegerInput("a", kU8, {1, 90000}).IntegerInput("b", kU8, {80000, 1});
  unequal.Node("MatMulInteger", {"a", "b"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(unequal.Bytes()), HasSubstr("cannot be"));
  ModelMaker elsewhere;
  elsewhere.Input("x", {2}).Node("QLinearAdd", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(elsewhere.Bytes()), HasSubstr("the operator is not supported"));
}

}  // namespace
}  // namespace hone
