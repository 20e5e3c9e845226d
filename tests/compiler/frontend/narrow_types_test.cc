// Element types that no kernel computes with: stored wider, wrapped or rounded as the model's type is.
#include "compiler/frontend/onnx/narrow_types.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compiler/relay/printer.h"
#include "core/declared_types.h"
#include "core/small_floats.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kUInt16 = 4, kInt16 = 5, kInt32 = 6, kFloat16 = 10, kUInt32 = 12, kUInt64 = 13, kBFloat16 = 16;
constexpr int kFloat8E4M3FN = 17, kFloat8E5M2FNUZ = 20, kUInt4 = 21, kInt4 = 22;

std::vector<float> Results(const ModelMaker& model, const std::map<std::string, Tensor>& inputs) {
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "test", {}).module;
  return Values(RunReference(relay::InferType(module), inputs)[0]);
}

Tensor Array(DType dtype, const std::vector<double>& values) {
  return Typed(dtype, {static_cast<int64_t>(values.size())}, values);
}

// The tensor that the model gives for its only input, x.
Tensor Result(const ModelMaker& model, const Tensor& x) {
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "test", {}).module;
  return RunReference(relay::InferType(module), {{"x", x}})[0];
}

void DeclareOutput(ModelMaker& model, int onnx_type) {
  model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx_type);
}

TEST(NarrowTypes, WrapAfterArithmetic) {
  ModelMaker sums;
  sums.IntegerInput("x", kInt16, {2}).IntegerInput("y", kInt16, {2}).Node("Add", {"x", "y"}, {"z"}).Output("z");
  EXPECT_THAT(Results(sums, {{"x", Array(declared::kInt16, {32767, -32768})}, {"y", Array(declared::kInt16, {1, -1})}}),
              ElementsAre(-32768, 32767));
  ModelMaker differences;
  differences.IntegerInput("x", kUInt16, {2}).IntegerInput("y", kUInt16, {2});
  differences.Node("Sub", {"x", "y"}, {"d"}).Node("BitwiseNot", {"d"}, {"z"}).Output("z");
  EXPECT_THAT(Results(differences, {{"x", Array(declared::kUInt16, {0, 7})}, {"y", Array(declared::kUInt16, {1, 2})}}),
              ElementsAre(0, 65530));
}

TEST(NarrowTypes, KeepTheirTypeThroughMovesAndLoseItInACast) {
  ModelMaker model(13);
  model.IntegerInput("x", kUInt16, {2}).Ints("shape", {1, 2});
  model.Node("Reshape", {"x", "shape"}, {"r"}).Node("Cast", {"r"}, {"c"}, {{"to", int64_t{kInt32}}});
  model.Node("Add", {"r", "r"}, {"wrapped"}).Node("Add", {"c", "c"}, {"wide"});
  model.Node("Cast", {"wrapped"}, {"w"}, {{"to", int64_t{kInt32}}})
      .Node("Concat", {"w", "wide"}, {"y"}, {{"axis", int64_t{1}}});
  model.Output("y");
  EXPECT_THAT(Results(model, {{"x", Array(declared::kUInt16, {40000, 3})}}), ElementsAre(14464, 6, 80000, 6));
}

TEST(NarrowTypes, AreCastByTheirLowBits) {
  ModelMaker model(21);
  model.Input("x", {4}).Node("Cast", {"x"}, {"c"}, {{"to", int64_t{kInt4}}});
  model.Node("Cast", {"c"}, {"y"}, {{"to", int64_t{1}}}).Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {4}, {7.9F, -8, 9, -3.7F});
  EXPECT_THAT(Results(model, {{"x", x}}), ElementsAre(7, -8, -7, -3));
}

// Two integers of 4 bits are in a byte, the first in its low bits; the last block has one element.
TEST(NarrowTypes, AreDequantisedInBlocks) {
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

// Weights in blocks of 8 along the sum: rows of 16 for a transposed B, or columns.
TEST(NarrowTypes, OfBlocksStayPackedInMatrices) {
  for (const bool rows : {true, false}) {
    ModelMaker model(21);
    model.Input("x", {1, 16});
    auto& weight = *model.graph().add_initializer();
    weight.set_name("w");
    weight.set_data_type(kInt4);
    for (const int dim : {rows ? 2 : 16, rows ? 16 : 2}) weight.add_dims(dim);
    // The first row or column is 1 and -1 in turns, the other 2.
    std::string bytes;
    for (int i = 0; i < 16; ++i) bytes += rows ? (i < 8 ? '\xF1' : '\x22') : (i % 2 == 0 ? '\x21' : '\x2F');
    weight.set_raw_data(bytes);
    model.Weight("s", {2, 2}, rows ? std::vector<float>{1, 10, 100, 1000} : std::vector<float>{1, 100, 10, 1000});
    model.Node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", int64_t{rows}}, {"block_size", int64_t{8}}});
    model.Node("Gemm", {"x", "d"}, {"y"}, {{"transB", int64_t{rows}}}).Output("y");
    const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "test", {}).module;
    EXPECT_THAT(relay::ToText(module), HasSubstr("unpack_blocks")) << rows;
    Tensor x(DType::kFloat32, {1, 16});
    x.Set(0, 1), x.Set(3, 2), x.Set(8, 3);
    EXPECT_THAT(Results(model, {{"x", x}}), ElementsAre(1 - 2 + 30, 200 + 400 + 6000)) << rows;
  }
}

TEST(NarrowTypes, SaturateWhereTheyAreQuantised) {
  ModelMaker model(21);
  model.Input("x", {4}).Weight("s", {}, {0.5F});
  model.Integers("z", kUInt16, {}, {10}).Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {4}, {1, -100, 1e6F, 0.2F});
  EXPECT_THAT(Results(model, {{"x", x}}), ElementsAre(1, -5, 32762.5F, 0));
}

TEST(NarrowTypes, OfSixtyFourBitsWrapBelowZero) {
  ModelMaker model;
  auto& big = *model.graph().add_initializer();
  big.set_name("big");
  big.set_data_type(kUInt64);
  big.add_dims(1);
  big.add_uint64_data(uint64_t{1} << 63);
  model.IntegerInput("x", kUInt64, {2}).Node("Sub", {"x", "big"}, {"y"}).Output("y");
  DeclareOutput(model, kUInt64);
  const Tensor y = Result(model, Array(declared::kUInt64, {0, 0x1p63}));
  ASSERT_EQ(y.dtype(), declared::kUInt64);
  EXPECT_EQ(y.data<uint64_t>()[0], uint64_t{1} << 63);
  EXPECT_EQ(y.data<uint64_t>()[1], 0U);
}

TEST(NarrowTypes, OfSixtyFourBitsAreComparedWithoutASign) {
  ModelMaker model(21);
  model.IntegerInput("x", kUInt64, {3}).Node("ReduceMax", {"x"}, {"m"}).Node("Less", {"x", "m"}, {"l"});
  model.Node("Cast", {"l"}, {"f"}, {{"to", int64_t{1}}}).Node("Cast", {"m"}, {"c"}, {{"to", int64_t{1}}});
  model.Node("Concat", {"f", "c"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  const Tensor x = Tensor::FromVector<uint64_t>(declared::kUInt64, {3}, {5, uint64_t{3} << 62, 7});
  EXPECT_THAT(Values(Result(model, x)), ElementsAre(1, 0, 1, 0x1.8p63F));
}

// Each type's array goes in and comes out with the same bits.
TEST(NarrowTypes, AreTheArraysThatTheModelDeclares) {
  for (const int type : {4, 5, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26}) {
    SCOPED_TRACE(type);
    const DType dtype = FindNarrowType(type)->declared;
    Tensor x(dtype, {8});
    FillTensor(x, Fill::kUniform, 1);
    for (const char* op : {"Identity", "Neg"}) {
      ModelMaker model(21);
      model.IntegerInput("x", type, {8}).Node(op, {"x"}, {"y"}).Output("y");
      DeclareOutput(model, type);
      const Tensor y = Result(model, x);
      ASSERT_EQ(y.dtype(), dtype);
      const Tensor again = std::string_view(op) == "Neg" ? Result(model, y) : y;
      for (int64_t i = 0; i < 8; ++i) EXPECT_TRUE(again.At(i) == x.At(i) || std::isnan(x.At(i))) << op << i;
    }
  }
}

TEST(NarrowTypes, OfFloatsAreRoundedByACast) {
  const Tensor x = Array(DType::kFloat32, {2049, -1.0009765625 - 0x1p-12, 1e6, 1e-9});
  for (const auto& [type, wanted] :
       std::map<int, std::vector<float>>{{kFloat16, {2048, -1.0009765625F, INFINITY, 0}},
                                         {kBFloat16, {2048, -1, 999424, static_cast<float>(BFloat16(1e-9F))}},
                                         {kFloat8E4M3FN, {448, -1, 448, 0}},
                                         {kFloat8E5M2FNUZ, {2048, -1, 57344, 0}}}) {
    ModelMaker model(21);
    model.Input("x", {4}).Node("Cast", {"x"}, {"c"}, {{"to", int64_t{type}}});
    model.Node("Cast", {"c"}, {"y"}, {{"to", int64_t{1}}}).Output("y");
    EXPECT_EQ(Values(Result(model, x)), wanted) << type;
  }
}

TEST(NarrowTypes, OfFloatsAreQuantised) {
  ModelMaker model(21);
  model.Input("x", {4}).Weight("s", {}, {0.5F});
  auto& zero = *model.graph().add_initializer();
  zero.set_name("z");
  zero.set_data_type(kFloat8E4M3FN);
  zero.add_int32_data(0);
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"}).Node("DequantizeLinear", {"q", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(Values(Result(model, Array(DType::kFloat32, {1, -8.3, 1e6, 0.2}))), ElementsAre(1, -8, 224, 0.203125F));
}

TEST(NarrowTypes, DoNotEnterGraphsWithinNodes) {
  ModelMaker model;
  model.IntegerInput("x", kUInt32, {3}).Node("Scan", {"x"}, {"y"}, {{"num_scan_inputs", int64_t{1}}}).Output("y");
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->add_input()->set_name("a");
  attribute.mutable_g()->add_output()->set_name("a");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("an input is uint32; cast it to int32 or int64"));
}

TEST(NarrowTypes, NeedAllTheirBytes) {
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
