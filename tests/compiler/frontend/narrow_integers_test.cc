// Integers of types that no tensor has: stored wider, wrapped as the model's type does.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kUInt16 = 4, kInt16 = 5, kInt32 = 6, kUInt32 = 12, kUInt64 = 13, kUInt4 = 21, kInt4 = 22;

std::vector<float> Results(const ModelMaker& model, const std::map<std::string, Tensor>& inputs) {
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "test", {}).module;
  return Values(RunReference(relay::InferType(module), inputs)[0]);
}

Tensor Int32s(const std::vector<int32_t>& values) {
  return Tensor::FromVector(DType::kInt32, {static_cast<int64_t>(values.size())}, values);
}

TEST(NarrowIntegers, WrapAfterArithmetic) {
  ModelMaker sums;
  sums.IntegerInput("x", kInt16, {2}).IntegerInput("y", kInt16, {2}).Node("Add", {"x", "y"}, {"z"}).Output("z");
  EXPECT_THAT(Results(sums, {{"x", Int32s({32767, -32768})}, {"y", Int32s({1, -1})}}), ElementsAre(-32768, 32767));
  ModelMaker differences;
  differences.IntegerInput("x", kUInt16, {2}).IntegerInput("y", kUInt16, {2});
  differences.Node("Sub", {"x", "y"}, {"d"}).Node("BitwiseNot", {"d"}, {"z"}).Output("z");
  EXPECT_THAT(Results(differences, {{"x", Int32s({0, 7})}, {"y", Int32s({1, 2})}}), ElementsAre(0, 65530));
}

TEST(NarrowIntegers, KeepTheirTypeThroughMovesAndLoseItInACast) {
  ModelMaker model(13);
  model.IntegerInput("x", kUInt16, {2}).Ints("shape", {1, 2});
  model.Node("Reshape", {"x", "shape"}, {"r"}).Node("Cast", {"r"}, {"c"}, {{"to", int64_t{kInt32}}});
  model.Node("Add", {"r", "r"}, {"wrapped"}).Node("Add", {"c", "c"}, {"wide"});
  model.Node("Cast", {"wrapped"}, {"w"}, {{"to", int64_t{kInt32}}})
      .Node("Concat", {"w", "wide"}, {"y"}, {{"axis", int64_t{1}}});
  model.Output("y");
  EXPECT_THAT(Results(model, {{"x", Int32s({40000, 3})}}), ElementsAre(14464, 6, 80000, 6));
}

TEST(NarrowIntegers, AreCastByTheirLowBits) {
  ModelMaker model(21);
  model.Input("x", {4}).Node("Cast", {"x"}, {"c"}, {{"to", int64_t{kInt4}}});
  model.Node("Cast", {"c"}, {"y"}, {{"to", int64_t{1}}}).Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {4}, {7.9F, -8, 9, -3.7F});
  EXPECT_THAT(Results(model, {{"x", x}}), ElementsAre(7, -8, -7, -3));
}

// Two integers of 4 bits are in a byte, the first in its low bits; the last block has one element.
TEST(NarrowIntegers, AreDequantisedInBlocks) {
  ModelMaker model(21);
  model.Input("x", {1, 5});
  auto& weight = *model.graph().add_initializer();
  weight.set_name("w");
  weight.set_data_type(kInt4);
  for (const int dim : {1, 5}) weight.add_dims(dim);
  weight.set_raw_data(std::string("\x21\xF3\x07", 3));
  model.Weight("s", {1, 3}, {1, 10, 100});
  model.Node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", int64_t{1}}, {"block_size", int64_t{2}}});
  model.Node("Add", {"x", "d"}, {"y"}).Output("y");
  EXPECT_THAT(Results(model, {{"x", Tensor(DType::kFloat32, {1, 5})}}), ElementsAre(1, 2, 30, -10, 700));
}

TEST(NarrowIntegers, SaturateWhereTheyAreQuantised) {
  ModelMaker model(21);
  model.Input("x", {4}).Weight("s", {}, {0.5F});
  model.Integers("z", kUInt16, {}, {10}).Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {4}, {1, -100, 1e6F, 0.2F});
  EXPECT_THAT(Results(model, {{"x", x}}), ElementsAre(1, -5, 32762.5F, 0));
}

TEST(NarrowIntegers, OfSixtyFourBitsMustFit) {
  ModelMaker model;
  auto& big = *model.graph().add_initializer();
  big.set_name("big");
  big.set_data_type(kUInt64);
  big.add_dims(1);
  big.add_uint64_data(uint64_t{1} << 63);
  model.IntegerInput("x", kUInt64, {1}).Node("Add", {"x", "big"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("\"big\": a uint64 of 2^63 or more"));
}

TEST(NarrowIntegers, DoNotEnterGraphsWithinNodes) {
  ModelMaker model;
  model.IntegerInput("x", kUInt32, {3}).Node("Scan", {"x"}, {"y"}, {{"num_scan_inputs", int64_t{1}}}).Output("y");
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->add_input()->set_name("a");
  attribute.mutable_g()->add_output()->set_name("a");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("an input is uint32; cast it to int32 or int64"));
}

TEST(NarrowIntegers, NeedAllTheirBytes) {
  ModelMaker model(21);
  model.Input("x", {3});
  auto& weight = *model.graph().add_initializer();
  weight.set_name("w");
  weight.set_data_type(kUInt4);
  weight.add_dims(3);
  weight.set_raw_data("\x21");
  model.Weight("s", {}, {1}).Node("DequantizeLinear", {"w", "s"}, {"d"}).Node("Add", {"x", "d"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("needs 2 bytes of data, it has 1"));
}

}  // namespace
}  // namespace hone
