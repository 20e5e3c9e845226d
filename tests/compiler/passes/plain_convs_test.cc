#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/relay/function.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using relay::TensorType;
using Ints = std::vector<int64_t>;

// Random values of the whole range of the type.
Tensor Bytes(const Shape& shape, DType dtype, uint64_t seed) {
  Tensor tensor(dtype, shape);
  Random random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.Set(i, static_cast<double>(random.Below(256)) - (dtype == DType::kInt8 ? 128 : 0));
  }
  return tensor;
}

IRModule Module(const ExprPtr& body) {
  IRModule module;
  module.main = relay::InferType(relay::MakeFunction(body));
  return module;
}

// Expects that both give the same bits for this input, and that the second's convolutions have only plain operands.
void ExpectPlainAndEqual(const IRModule& before, const Tensor& x) {
  const IRModule after = PlainConvs(before);
  EXPECT_EQ(relay::ToText(after.main->body->type), relay::ToText(before.main->body->type));
  relay::PostOrderVisit(after.main, [](const ExprPtr& expr) {
    const relay::Call* conv = relay::AsCallTo(expr, "nn.conv2d");
    if (conv == nullptr) return;
    const bool bytes = conv->type->dtype == DType::kInt32;
    EXPECT_EQ(conv->args[0]->type->dtype, bytes ? DType::kUInt8 : DType::kFloat32);
    EXPECT_EQ(conv->attrs.GetString("data_layout") + conv->attrs.GetString("kernel_layout"), "NCHWOIHW");
  });
  const Tensor want = RunReference(before, {{"x", x}})[0], got = RunReference(after, {{"x", x}})[0];
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  for (int64_t i = 0; i < want.elements(); ++i) ASSERT_EQ(got.At(i), want.At(i)) << i;
}

TEST(PlainConvs, LayoutsBecomeTransposes) {
  const ExprPtr x = relay::MakeVar("x", TensorType({2, 6, 5, 4}));
  const Attrs attrs{{"data_layout", "NHWC"}, {"kernel_layout", "HWIO"}, {"out_layout", "NCHW"}, {"padding", Ints{1}}};
  const IRModule module = Module(MakeCall("nn.conv2d", {x, RandomConstant({3, 3, 4, 8}, 1)}, attrs, "conv"));
  ExpectPlainAndEqual(module, RandomTensor({2, 6, 5, 4}, 2));
  EXPECT_EQ(CountOf(PlainConvs(module), "transpose"), 1) << "the weight is a constant, and the result plain";
}

TEST(PlainConvs, TransposesBetweenTwoLayersGoAway) {
  const Attrs attrs{{"data_layout", "NHWC"}, {"kernel_layout", "HWIO"}};
  const ExprPtr x = relay::MakeVar("x", TensorType({1, 6, 6, 8}));
  const ExprPtr first = MakeCall("nn.relu", {MakeCall("nn.conv2d", {x, RandomConstant({1, 1, 8, 8}, 1)}, attrs)});
  const IRModule module = Module(MakeCall("nn.conv2d", {first, RandomConstant({3, 3, 8, 8}, 2)}, attrs));
  ExpectPlainAndEqual(module, RandomTensor({1, 6, 6, 8}, 3));
  EXPECT_EQ(CountOf(RunPassesUntil("sink_transposes", module, TestContext()), "transpose"), 2);
}

TEST(PlainConvs, HalvesAreMultipliedAsFloats) {
  const ExprPtr x = relay::MakeVar("x", TensorType({1, 4, 5, 5}, DType::kFloat16));
  const ExprPtr w = relay::MakeConstant(RandomTensor({4, 4, 3, 3}, 1).As(DType::kFloat16));
  for (const char* out : {"", "float32"}) {
    ExpectPlainAndEqual(Module(MakeCall("nn.conv2d", {x, w}, {{"out_dtype", out}})),
                        RandomTensor({1, 4, 5, 5}, 2).As(DType::kFloat16));
  }
}

// Sums of 64 channels of 3x3 stay below 2^24 for any values. Those of 256 channels need not, nor those with weights
// that are inputs.
TEST(PlainConvs, SumsOfInt8AreExact) {
  for (const int64_t channels : {64, 256}) {
    const ExprPtr x = relay::MakeVar("x", TensorType({1, channels, 4, 4}, DType::kInt8));
    Tensor all(DType::kInt8, {2, channels, 3, 3});
    for (int64_t i = 0; i < all.elements(); ++i) all.Set(i, -128);
    const Tensor low = all.Clone();
    const ExprPtr w = relay::MakeConstant(all);
    const IRModule module = Module(MakeCall("nn.conv2d", {x, w}, {{"out_dtype", "int32"}, {"padding", Ints{1}}}));
    EXPECT_EQ(CountOf(PlainConvs(module), "nn.conv2d"), channels == 64 ? 1 : 2);
    Tensor lowest(DType::kInt8, {1, channels, 4, 4});
    for (int64_t i = 0; i < lowest.elements(); ++i) lowest.Set(i, i % 7 == 0 ? -127 : -128);
    ExpectPlainAndEqual(module, lowest);
  }
  const ExprPtr x = relay::MakeVar("x", TensorType({1, 256, 4, 4}, DType::kInt8));
  const ExprPtr w = relay::MakeConstant(Bytes({4, 256, 3, 3}, DType::kInt8, 5));
  ExpectPlainAndEqual(Module(MakeCall("nn.conv2d", {x, w}, {{"out_dtype", "int32"}})),
                      Bytes({1, 256, 4, 4}, DType::kInt8, 6));
}

TEST(PlainConvs, LongSumsOfKnownWeightsStayBytes) {
  const ExprPtr x = relay::MakeVar("x", TensorType({1, 256, 4, 4}, DType::kUInt8));
  const ExprPtr w = relay::MakeConstant(Bytes({4, 256, 3, 3}, DType::kInt8, 5));
  for (const char* layout : {"NCHW", "NHWC"}) {
    const bool last = std::string(layout) == "NHWC";
    const ExprPtr data = last ? relay::MakeVar("x", TensorType({1, 4, 4, 256}, DType::kUInt8)) : x;
    const IRModule module = Module(MakeCall("nn.conv2d", {data, w}, {{"out_dtype", "int32"}, {"data_layout", layout}}));
    const IRModule plain = relay::InferType(PlainConvs(module));
    EXPECT_EQ(CountOf(plain, "nn.conv2d"), 1);
    EXPECT_EQ(CountOf(plain, "cast"), 0);
    EXPECT_EQ(PlainConvs(plain).main->body, plain.main->body);
    ExpectPlainAndEqual(module, Bytes(data->type->shape, DType::kUInt8, 6));
  }
}

TEST(PlainConvs, SumsThatAreTooLongAreRefused) {
  const ExprPtr x = relay::MakeVar("x", TensorType({1, 20000, 2, 2}, DType::kInt8));
  const ExprPtr w = relay::MakeVar("w", TensorType({1, 20000, 1, 1}, DType::kInt8));
  const IRModule module = Module(MakeCall("nn.conv2d", {x, w}, {{"out_dtype", "int32"}}, "wide"));
  try {
    PlainConvs(module);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "node wide: a sum of 20000 products of int8 may not be exact, up to 16384 are");
  }
}

TEST(PlainConvs, PoolsTakeNchw) {
  const ExprPtr x = relay::MakeVar("x", TensorType({2, 7, 6, 4}));
  const Attrs global{{"layout", "NHWC"}};
  Attrs window{{"pool_size", Ints{3, 2}}, {"strides", Ints{2, 1}}, {"padding", Ints{1, 0}}, {"layout", "NHWC"}};
  for (const char* op : {"nn.max_pool2d", "nn.avg_pool2d", "nn.global_max_pool2d", "nn.global_avg_pool2d"}) {
    const IRModule module = Module(MakeCall(op, {x}, std::string(op).starts_with("nn.global") ? global : window));
    const IRModule plain = PlainConvs(module);
    ExpectPlainAndEqual(module, RandomTensor({2, 7, 6, 4}, 2));
    EXPECT_EQ(CountOf(plain, "transpose"), 2);
    EXPECT_EQ(CountOf(PlainConvs(relay::InferType(plain)), "transpose"), 2);
    relay::PostOrderVisit(plain.main, [op](const ExprPtr& expr) {
      const relay::Call* pool = relay::AsCallTo(expr, op);
      EXPECT_TRUE(pool == nullptr || pool->attrs.GetString("layout") == "NCHW");
    });
  }
}

TEST(PlainConvs, PlainOnesAreLeftAlone) {
  const IRModule module = ModuleOf(Conv(Input("x", {1, 4, 8, 8}), 4, 8, 3, 1));
  EXPECT_EQ(PlainConvs(module).main->body, module.main->body);
}

}  // namespace
}  // namespace hone::testing
