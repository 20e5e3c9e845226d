#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/quantised_layers.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

ExprPtr Reshape(const ExprPtr& x, std::vector<int64_t> shape) {
  return MakeCall("reshape", {x}, {{"newshape", std::move(shape)}});
}

// A product with a tensor of that shape in MatMul's form: the leading axes are rows.
ExprPtr QuantisedMatMul(const ExprPtr& data, std::vector<int64_t> shape, int64_t out, uint64_t seed) {
  const int64_t in = shape.back();
  Tensor scales(DType::kFloat32, {out, 1});
  for (int64_t o = 0; o < out; ++o) scales.Set(o, 0.002 * static_cast<double>(o % 5 + 1));
  const ExprPtr weight = MakeCall("multiply", {WholeConstant({out, in}, 100, seed), relay::MakeConstant(scales)});
  shape.back() = out;
  return Reshape(MakeCall("nn.dense", {Reshape(data, {-1, in}), weight}, {{"units", out}}), std::move(shape));
}

IRModule Canonical(const ExprPtr& body) { return relay::InferType(Canonicalise(Lifted(body), 3)); }

TEST(StoreBytes, ConvolutionsPassBytesOn) {
  const ExprPtr x = BackAndForth(Input("x", {1, 3, 6, 6}), 0.02F, 128);
  const ExprPtr first = BackAndForth(MakeCall("nn.relu", {QuantisedConv(x, 3, 8, 3, 1)}), 0.05F, 0);
  const ExprPtr second = BackAndForth(QuantisedConv(first, 8, 12, 1, 2), 0.1F, 100);
  const IRModule lifted = Lifted(QuantisedConv(second, 12, 4, 1, 3));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: offset,scale,relu,quantise(1,0)",
                                           "bytes to uint8: scale,quantise(1,100)", "bytes to float32: offset,scale"));
  // Zero padding becomes padding with the byte that represents zero.
  EXPECT_EQ(CountOf(stored, "nn.pad"), 1);
}

// An 8-bit tensor converted to the numbers that it represents.
ExprPtr Decoded(const ExprPtr& integers, float zero_point) {
  const ExprPtr whole = MakeCall("cast", {integers}, {{"dtype", std::string("float32")}});
  return MakeCall("multiply", {MakeCall("subtract", {whole, ScalarConstant(zero_point)}), ScalarConstant(0.05F)});
}

TEST(StoreBytes, InputsOfTheGraphAreReadAsTheyAre) {
  for (const DType dtype : {DType::kUInt8, DType::kInt8}) {
    const ExprPtr x = relay::MakeVar("x", relay::TensorType({1, 6, 6, 16}, dtype));
    const ExprPtr moved = MakeCall("transpose", {x}, {{"axes", std::vector<int64_t>{0, 3, 1, 2}}});
    const IRModule lifted = Lifted(QuantisedConv(Decoded(moved, 100), 16, 8, 3, 1));
    const IRModule stored = Stored(lifted);
    ExpectSameMeaning(lifted, stored, 0);
    EXPECT_THAT(Anchors(stored), ElementsAre("bytes to float32: offset,scale"));
    const ExprPtr rows = relay::MakeVar("x", relay::TensorType({5, 64}, dtype));
    const IRModule dense = Lifted(QuantisedMatMul(Decoded(rows, 0), {5, 64}, 12, 2));
    ExpectSameMeaning(dense, Stored(dense), 0);
    EXPECT_EQ(Anchors(Stored(dense)).size(), 1U);
    EXPECT_THAT(Anchors(Stored(dense))[0], ::testing::StartsWith("bytes to float32"));
  }
}

TEST(StoreBytes, InputsThatOthersReadAsWellStayFloats) {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({1, 16, 6, 6}, DType::kInt8));
  const ExprPtr real = Decoded(x, 3);
  const IRModule lifted = Lifted(MakeCall("add", {QuantisedConv(real, 16, 16, 3, 1), MakeCall("exp", {real})}));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre(::testing::StartsWith("floats")));
}

TEST(StoreBytes, ResidualsAreAddedWithBothScales) {
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 5, 5}), 0.02F, 0);
  const ExprPtr a = BackAndForth(QuantisedConv(x, 8, 8, 3, 1), 0.1F, 120);
  const ExprPtr b = BackAndForth(QuantisedConv(x, 8, 8, 1, 2), 0.2F, 130);
  const ExprPtr sum = BackAndForth(MakeCall("nn.relu", {MakeCall("add", {a, b})}), 0.15F, 0);
  const IRModule lifted = Lifted(QuantisedConv(sum, 8, 4, 1, 3));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored),
              ElementsAre("bytes to uint8: scale,quantise(1,120)",
                          "bytes to uint8: scale,hold(-130,125,0.2),add(0.1,120),relu,quantise(0.15,0)",
                          "bytes to float32: scale"));
}

TEST(StoreBytes, PoolsMovesAndConcatenationsKeepThem) {
  const ExprPtr x = BackAndForth(Input("x", {1, 16, 6, 6}), 0.02F, 7);
  const ExprPtr pooled = MakeCall("nn.max_pool2d", {x},
                                  {{"pool_size", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  const ExprPtr again = BackAndForth(pooled, 0.02F, 7);
  const ExprPtr a = BackAndForth(QuantisedConv(again, 16, 16, 1, 1), 0.1F, 7);
  const ExprPtr b = BackAndForth(QuantisedConv(again, 16, 16, 3, 2), 0.1F, 7);
  const ExprPtr joined =
      BackAndForth(MakeCall("concatenate", {relay::MakeTuple({a, b})}, {{"axis", int64_t{1}}}), 0.1F, 7);
  const IRModule lifted = Lifted(QuantisedConv(joined, 32, 4, 1, 3));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  for (const ExprPtr& expr : PostOrder(stored.main->body)) {
    if (relay::AsCallTo(expr, "concatenate") == nullptr && relay::AsCallTo(expr, "nn.max_pool2d") == nullptr) continue;
    EXPECT_EQ(expr->type->dtype, DType::kUInt8);
  }
  EXPECT_EQ(Anchors(stored).size(), 3U);
}

// Without a product only what a kernel moves is stored; the zero points of both pairs cancel each other.
TEST(StoreBytes, TransposesBetweenPairsMoveBytes) {
  const auto transposed = [](const ExprPtr& x) {
    return MakeCall("transpose", {x}, {{"axes", std::vector<int64_t>{0, 2, 3, 1}}});
  };
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.05F, 128);
  const IRModule lifted = Lifted(BackAndForth(transposed(x), 0.05F, 128));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  int moves = 0;
  for (const ExprPtr& expr : PostOrder(stored.main->body)) {
    if (relay::AsCallTo(expr, "transpose") == nullptr) continue;
    EXPECT_EQ(expr->type->dtype, DType::kUInt8);
    ++moves;
  }
  EXPECT_EQ(moves, 1);
  const IRModule unmoved = Lifted(BackAndForth(MakeCall("exp", {x}), 0.05F, 128));
  EXPECT_EQ(StoreBytes(unmoved).main, unmoved.main);
}

TEST(StoreBytes, APoolThatProductsOfFloatsReadGivesFloats) {
  const ExprPtr x = BackAndForth(Input("x", {1, 16, 6, 6}), 0.02F, 7);
  const ExprPtr first = BackAndForth(QuantisedConv(x, 16, 16, 1, 1), 0.1F, 7);
  const ExprPtr pooled = MakeCall("nn.max_pool2d", {first}, {{"pool_size", std::vector<int64_t>{2, 2}}});
  const IRModule lifted = Lifted(Conv(pooled, 16, 8, 1, 2));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: offset,scale,quantise(1,7)", "floats to float32: none"));
}

TEST(StoreBytes, LeavesWhatKernelsOfBytesDoNotTake) {
  const ExprPtr x = BackAndForth(Input("x", {1, 6, 5, 5}), 0.02F, 0);
  // Three channels per group are not a multiple of four.
  const IRModule lifted = Lifted(QuantisedConv(x, 6, 8, 3, 1, 2));
  EXPECT_EQ(StoreBytes(lifted).main, lifted.main);
  // The other product needs floats, so its operand is converted for it.
  const ExprPtr y = BackAndForth(Input("y", {1, 8, 5, 5}), 0.02F, 0);
  const ExprPtr both = MakeCall("add", {QuantisedConv(y, 8, 4, 1, 1), Conv(y, 8, 4, 1, 0)});
  EXPECT_THAT(Anchors(Stored(Lifted(both))), ElementsAre("bytes to float32: scale", "floats to float32: add"));
  ExpectSameMeaning(Lifted(both), Stored(Lifted(both)), 0);
}

TEST(StoreBytes, ChannelsOfTheirOwnAreBytesToo) {
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.02F, 0);
  const ExprPtr first = BackAndForth(QuantisedConv(x, 8, 8, 3, 1, 8), 0.1F, 120);
  const IRModule lifted = Lifted(QuantisedConv(first, 8, 4, 1, 3));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: scale,quantise(1,120)", "bytes to float32: offset,scale"));
}

// ConvInteger after DynamicQuantizeLinear: the zero point's contribution and the scale are computed.
TEST(StoreBytes, ConvolutionsTakeComputedOffsetsAndScales) {
  const auto input = [](const char* name, const Shape& shape, const char* dtype) {
    const ExprPtr wide = MakeCall("multiply", {Input(name, shape), ScalarConstant(60)});
    const ExprPtr whole = MakeCall("clip", {MakeCall("round", {wide})}, {{"a_min", 0.0}, {"a_max", 255.0}});
    return MakeCall("cast", {whole}, {{"dtype", std::string(dtype)}});
  };
  Tensor weight(DType::kInt8, {6, 4, 3, 3}), sums(DType::kInt32, {6});
  for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, static_cast<double>(i * 37 % 255) - 127);
  for (int64_t i = 0; i < 6; ++i) sums.Set(i, static_cast<double>(100 * i) - 250);
  const ExprPtr conv = MakeCall("nn.conv2d", {input("x", {1, 4, 5, 5}, "uint8"), relay::MakeConstant(weight)},
                                {{"out_dtype", std::string("int32")}, {"integral", true}});
  const ExprPtr zero = input("z", {}, "int32"), scale = Input("s", {});
  const ExprPtr offset = MakeCall("nn.bias_add", {conv, MakeCall("multiply", {relay::MakeConstant(sums), zero})});
  const ExprPtr real = MakeCall("cast", {offset}, {{"dtype", std::string("float32")}});
  const ExprPtr scaled = MakeCall("multiply", {real, MakeCall("multiply", {scale, ScalarConstant(0.01F)})});
  const ExprPtr biased = MakeCall("add", {scaled, RandomConstant({1, 6, 1, 1}, 5)});
  const IRModule module = ModuleOf(MakeCall("nn.relu", {biased}));
  const IRModule canonical = relay::InferType(Canonicalise(module, 3));
  ExpectSameMeaning(module, canonical, 0);
  EXPECT_THAT(Anchors(canonical), ElementsAre("bytes to float32: offset,scale,bias,relu"));
}

// Two layers of a transformer with a bias and an activation between them, and a sum after them.
TEST(StoreBytes, DenseLayersOfManyRowsPassBytesOn) {
  const ExprPtr x = BackAndForth(Input("x", {1, 6, 12}), 0.02F, 128);
  const ExprPtr inner = MakeCall("add", {QuantisedMatMul(x, {1, 6, 12}, 16, 1), RandomConstant({16}, 7)});
  const ExprPtr between = BackAndForth(MakeCall("nn.gelu", {inner}), 0.05F, 9);
  const ExprPtr outer = MakeCall("add", {QuantisedMatMul(between, {1, 6, 16}, 12, 2), RandomConstant({12}, 8)});
  const IRModule plain = Canonical(MakeCall("add", {outer, Input("y", {1, 6, 12})}));
  const IRModule stored = Stored(plain);
  ExpectSameMeaning(plain, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: offset,scale,bias,gelu,quantise(0.05,9)",
                                           "bytes to float32: offset,scale,bias,add"));
}

// Kernels multiply four bytes of a row at a time, so rows are padded.
TEST(StoreBytes, RowsOfAnyLengthAreMadeUpToFours) {
  for (const int64_t columns : {13, 14, 15, 16}) {
    const ExprPtr x = BackAndForth(Input("x", {1, 6, columns}), 0.02F, 128);
    const IRModule plain = Canonical(QuantisedMatMul(x, {1, 6, columns}, 16, 1)), stored = Stored(plain);
    ExpectSameMeaning(plain, stored, 0);
    EXPECT_THAT(Anchors(stored), ElementsAre("bytes to float32: offset,scale"));
    EXPECT_EQ(CountOf(stored, "nn.pad"), columns == 16 ? 0 : 1);
  }
}

// Attention between quantisations: heads by reshapes, both products, and a sum over any number of keys.
TEST(StoreBytes, ProductsOfComputedMatricesPassBytesOn) {
  const auto heads = [](const char* name, float zero, std::vector<int64_t> axes) {
    const ExprPtr x = Reshape(BackAndForth(Input(name, {1, 7, 24}), 0.02F, zero), {1, 7, 3, 8});
    const ExprPtr moved = MakeCall("transpose", {x}, {{"axes", std::move(axes)}});
    return moved;
  };
  const auto product = [](const ExprPtr& a, const ExprPtr& b, std::vector<int64_t> shape) {
    const auto batch = [](const ExprPtr& x, int64_t rows, int64_t columns) { return Reshape(x, {3, rows, columns}); };
    const int64_t depth = shape.back() == 7 ? 8 : 7;
    const ExprPtr sums =
        MakeCall("nn.batch_matmul", {batch(a, 7, depth), batch(b, depth, shape.back())}, {{"transpose_b", false}});
    return Reshape(sums, std::move(shape));
  };
  using Ints = std::vector<int64_t>;
  const ExprPtr query = heads("q", 128, Ints{0, 2, 1, 3}), key = heads("k", 131, Ints{0, 2, 3, 1});
  const ExprPtr scores = BackAndForth(product(query, key, {1, 3, 7, 7}), 0.05F, 120);
  const ExprPtr weights = BackAndForth(MakeCall("nn.softmax", {scores}), 0.004F, 0);
  const ExprPtr mixed = product(weights, heads("v", 100, Ints{0, 2, 1, 3}), {1, 3, 7, 8});
  const IRModule plain = relay::InferType(ModuleOf(MakeCall("transpose", {mixed}, {{"axes", Ints{0, 2, 1, 3}}})));
  const IRModule stored = Stored(Canonical(plain.main->body));
  ExpectSameMeaning(plain, stored, 2e-6);
  EXPECT_THAT(Anchors(stored), ElementsAre("pairs to uint8: scale,quantise(0.05,120)", "pairs to float32: scale"));
}

// Operands whose rows are not contiguous, or whose values exceed 256 numbers.
TEST(StoreBytes, LeavesProductsOfComputedMatricesThatBytesDoNotHold) {
  const auto anchors = [](float step, bool transpose_a) {
    const ExprPtr a = BackAndForth(Input("a", {2, 8, 8}), step, 128), b = BackAndForth(Input("b", {2, 8, 8}), step, 0);
    return Anchors(Stored(Canonical(MakeCall("nn.batch_matmul", {a, b}, {{"transpose_a", transpose_a}}))));
  };
  EXPECT_THAT(anchors(0.1F, false), ElementsAre("pairs to float32: scale"));
  EXPECT_THAT(anchors(0.1F, true), ElementsAre("floats to float32: none"));
  const ExprPtr a = BackAndForth(Input("a", {2, 8, 8}), 0.1F, 128);
  const ExprPtr wide =
      MakeCall("nn.batch_matmul", {a, MakeCall("multiply", {MakeCall("add", {a, a}), Input("s", {})})});
  EXPECT_THAT(Anchors(Stored(Canonical(wide))), ElementsAre("floats to float32: none"));
}

// QLinearMatMul after attention: bytes are moved between the layers, and the zero point is subtracted afterwards.
TEST(StoreBytes, ZeroPointsAreTakenFromWhatWasMoved) {
  const ExprPtr shifted =
      MakeCall("add", {MakeCall("round", {Input("x", {1, 4, 6, 12})}), relay::MakeConstant(Tensor::Scalar(11.0F))});
  const ExprPtr held = MakeCall("clip", {shifted}, {{"a_min", -128.0}, {"a_max", 127.0}});
  const ExprPtr bytes = MakeCall("cast", {held}, {{"dtype", std::string("int8")}});
  const ExprPtr moved = Reshape(MakeCall("transpose", {bytes}, {{"axes", std::vector<int64_t>{0, 2, 1, 3}}}), {6, 48});
  const ExprPtr centred = MakeCall("subtract", {MakeCall("cast", {moved}, {{"dtype", std::string("float32")}}),
                                                relay::MakeConstant(Tensor::Scalar(11.0F))});
  const ExprPtr sums =
      MakeCall("nn.dense", {centred, WholeConstant({16, 48}, 100, 3)}, {{"units", int64_t{16}}, {"integral", true}});
  const ExprPtr real = MakeCall("multiply", {sums, RandomConstant({16}, 7)});
  const IRModule stored = Stored(Canonical(real));
  ExpectSameMeaning(relay::InferType(ModuleOf(real)), stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to float32: offset,scale"));
}

// Dynamic quantisation: the zero point and the scale are computed in the run.
TEST(StoreBytes, DenseLayersOfBytesTakeWhatIsComputedPerColumn) {
  const auto cast = [](const ExprPtr& of, const char* dtype) {
    return MakeCall("cast", {of}, {{"dtype", std::string(dtype)}});
  };
  const ExprPtr bytes = cast(MakeCall("clip", {Input("x", {1, 6, 12})}, {{"a_min", 0.0}, {"a_max", 2.0}}), "uint8");
  const ExprPtr weight =
      relay::MakeConstant(relay::AsConstant(WholeConstant({16, 12}, 100, 3))->value.As(DType::kInt8));
  const ExprPtr sums =
      Reshape(MakeCall("nn.dense", {Reshape(bytes, {6, 12}), weight},
                       {{"units", int64_t{16}}, {"integral", true}, {"out_dtype", std::string("int32")}}),
              {1, 6, 16});
  const ExprPtr columns = relay::MakeConstant(relay::AsConstant(WholeConstant({16}, 500, 4))->value.As(DType::kInt32));
  const ExprPtr zero = cast(MakeCall("max", {Input("zero", {3})}), "int32");
  const ExprPtr scale = MakeCall("max", {Input("scale", {3})});
  const ExprPtr shifted = MakeCall("add", {sums, MakeCall("multiply", {columns, zero})});
  const ExprPtr real = MakeCall("multiply", {cast(shifted, "float32"), scale});
  const IRModule plain =
      relay::InferType(ModuleOf(MakeCall("nn.relu", {MakeCall("add", {real, RandomConstant({16}, 5)})})));
  const IRModule canonical = relay::InferType(Canonicalise(plain, 3));
  ExpectSameMeaning(plain, canonical, 0);
  EXPECT_THAT(Anchors(Stored(canonical)), ElementsAre("bytes to float32: offset,scale,bias,relu"));
  ExpectSameMeaning(plain, Fuse(Stored(canonical)), 0);
  // The sums themselves may be an output.
  EXPECT_THAT(Anchors(relay::InferType(Canonicalise(relay::InferType(ModuleOf(sums)), 3))),
              ElementsAre("bytes to int32: none"));
}

TEST(StoreBytes, DenseLayersOfOneRowAreConvolutionsOfOnePixel) {
  const ExprPtr x = BackAndForth(Input("x", {1, 12, 1, 1}), 0.02F, 9);
  const ExprPtr row = MakeCall("nn.batch_flatten", {x});
  Tensor scales(DType::kFloat32, {5, 1});
  for (int64_t n = 0; n < 5; ++n) scales.Set(n, 0.01 * static_cast<double>(n + 1));
  const ExprPtr weight = MakeCall("multiply", {WholeConstant({5, 12}, 100, 4), relay::MakeConstant(scales)});
  const ExprPtr dense = MakeCall("nn.dense", {row, weight}, {{"units", int64_t{5}}});
  const IRModule lifted = Lifted(BackAndForth(dense, 0.1F, 100));
  const IRModule stored = Stored(lifted);
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_EQ(CountOf(stored, "nn.dense"), 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to float32: offset,scale,hold(-100,155,0.1)"));
}

}  // namespace
}  // namespace hone::testing
