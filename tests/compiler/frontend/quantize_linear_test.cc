// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear against values worked out by hand.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using onnx::TensorProto;
using testing::ElementsAre;

constexpr int kU8 = TensorProto::UINT8;
constexpr int kS8 = TensorProto::INT8;
constexpr int kS32 = TensorProto::INT32;

Tensor Floats(const std::vector<double>& values) {
  return Typed(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

TEST(QuantizeLinear, RoundsHalvesToEvenAddsTheZeroPointAndSaturates) {
  const std::vector<double> x{0, 1, 3, 5, -1, -3, 7.1, 1000, -1000};
  ModelMaker u8;
  u8.Input("x", {9}).Weight("s", {}, {2}).Integers("z", kU8, {}, {3});
  u8.Node("QuantizeLinear", {"x", "s", "z"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(u8.Bytes(), {{"x", Floats(x)}})[0];
  EXPECT_EQ(y.dtype(), DType::kUInt8);
  EXPECT_THAT(Values(y), ElementsAre(3, 3, 5, 5, 3, 1, 7, 255, 0));
  ModelMaker s8;
  s8.Input("x", {9}).Weight("s", {1}, {2}).Integers("z", kS8, {1}, {-4});
  s8.Node("QuantizeLinear", {"x", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(s8.Bytes(), {{"x", Floats(x)}})[0]), ElementsAre(-4, -4, -2, -2, -4, -6, 0, 127, -128));
}

TEST(QuantizeLinear, IsUnsignedWithoutAZeroPointByDefault) {
  const std::vector<double> x{-3, 300, 2.5};
  ModelMaker plain, said(21);
  plain.Input("x", {3}).Weight("s", {}, {1}).Node("QuantizeLinear", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(plain.Bytes(), {{"x", Floats(x)}})[0]), ElementsAre(0, 255, 2));
  said.Input("x", {3}).Weight("s", {}, {1});
  said.Node("QuantizeLinear", {"x", "s"}, {"y"}, {{"output_dtype", int64_t{kS8}}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(said.Bytes(), {{"x", Floats(x)}})[0]), ElementsAre(-3, 127, 2));
}

TEST(QuantizeLinear, TakesAScalePerPositionOfAnAxis) {
  ModelMaker model;
  model.Input("x", {1, 2, 2}).Weight("s", {2}, {1, 10}).Integers("z", kU8, {2}, {0, 100});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"y"}).Node("DequantizeLinear", {"y", "s", "z"}, {"r"});
  model.Output("y").Output("r");
  const auto results = RunOnnx(model.Bytes(), {{"x", Typed(DType::kFloat32, {1, 2, 2}, {3, 4, -55, 62})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(3, 4, 94, 106));
  EXPECT_THAT(Values(results[1]), ElementsAre(3, 4, -60, 60));
}

TEST(DequantizeLinear, ReadsEightAndThirtyTwoBits) {
  ModelMaker model(21);
  model.Integers("a", kU8, {3}, {0, 128, 255}).Integers("az", kU8, {}, {128});
  model.Integers("b", kS8, {3}, {-128, 0, 127}).Integers("c", kS32, {2}, {-100000, 7});
  model.Integers("d", kS8, {1, 4}, {1, 2, 3, 4}).Weight("ds", {1, 2}, {1, 10}).Weight("s", {}, {0.5});
  model.Node("DequantizeLinear", {"a", "s", "az"}, {"ra"}).Node("DequantizeLinear", {"b", "s"}, {"rb"});
  model.Node("DequantizeLinear", {"c", "s"}, {"rc"});
  model.Node("DequantizeLinear", {"d", "ds"}, {"rd"}, {{"axis", int64_t{1}}, {"block_size", int64_t{2}}});
  for (const char* name : {"ra", "rb", "rc", "rd"}) model.Output(name);
  const auto results = RunOnnx(model.Bytes(), {});
  EXPECT_THAT(Values(results[0]), ElementsAre(-64, 0, 63.5));
  EXPECT_THAT(Values(results[1]), ElementsAre(-64, 0, 63.5));
  EXPECT_THAT(Values(results[2]), ElementsAre(-50000, 3.5));
  EXPECT_THAT(Values(results[3]), ElementsAre(1, 2, 30, 40));
}

TEST(DynamicQuantizeLinear, CoversZeroAndTheWholeRange) {
  ModelMaker model;
  model.Input("x", {6}).Node("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"}).Output("y").Output("s").Output("z");
  // This is the example of ONNX's own page.
  const auto results = RunOnnx(model.Bytes(), {{"x", Floats({0, 2, -3, -2.5, 1.34, 0.5})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(153, 255, 0, 26, 221, 179));
  EXPECT_FLOAT_EQ(results[1].data<float>()[0], 5.0F / 255);
  EXPECT_EQ(results[2].dtype(), DType::kUInt8);
  EXPECT_THAT(Values(results[2]), ElementsAre(153));
  const auto zeros = RunOnnx(model.Bytes(), {{"x", Floats({0, 0, 0, 0, 0, 0})}});
  EXPECT_THAT(Values(zeros[0]), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Values(zeros[1]), ElementsAre(1));
}

}  // namespace
}  // namespace hone
