// Operators that are compositions of others, by hand-worked values and refusals.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstring>

#include "core/declared_types.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using Ints = std::vector<int64_t>;

auto NearTo(const std::vector<float>& values, float tolerance = 1e-5F) {
  return Pointwise(FloatNear(tolerance), values);
}

// The numbers are types of ONNX: 1 float32, 2 uint8, 3 int8, 4 uint16, 5 int16, 6 int32, 7 int64, 12 uint32.
Tensor BitsOf(int from, int64_t to, const Tensor& x) {
  ModelMaker model(26);
  model.IntegerInput("x", from, {2}).Node("BitCast", {"x"}, {"y"}, {{"to", to}}).Output("y");
  return RunOnnx(model.Bytes(), {{"x", x}})[0];
}

TEST(OnnxBitCast, KeepsTheBits) {
  const auto bits = static_cast<double>(std::bit_cast<int32_t>(-1.5F));
  const Tensor floats = Tensor::FromVector<float>(DType::kFloat32, {2}, {1, -1.5F});
  EXPECT_THAT(Values(BitsOf(6, 1, Typed(DType::kInt32, {2}, {0x3F800000, bits}))), ElementsAre(1, -1.5F));
  EXPECT_EQ(BitsOf(1, 6, floats).At(1), bits);
  EXPECT_EQ(BitsOf(1, 12, floats).At(1), bits + 4294967296.0);
  EXPECT_THAT(Values(BitsOf(3, 2, Typed(DType::kInt8, {2}, {-1, 5}))), ElementsAre(255, 5));
  EXPECT_THAT(Values(BitsOf(4, 5, Typed(declared::kUInt16, {2}, {65535, 5}))), ElementsAre(-1, 5));
  const std::array<uint32_t, 2> words{0xFFFFFFFF, 5};
  Tensor unsigned_words(declared::kUInt32, {2});
  std::memcpy(unsigned_words.raw(), words.data(), sizeof(words));
  EXPECT_THAT(Values(BitsOf(12, 6, unsigned_words)), ElementsAre(-1, 5));
}

TEST(OnnxBitCast, RefusesOtherWidths) {
  ModelMaker model(26);
  model.Input("x", {2}).Node("BitCast", {"x"}, {"y"}, {{"to", int64_t{7}}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("elements of 32 bits as others of 64"));
}

// The first pivots lie in the last rows. The second matrix has no inverse.
TEST(OnnxDet, EliminatesWithPivots) {
  ModelMaker model(22);
  model.Input("x", {2, 3, 3}).Node("Det", {"x"}, {"y"}).Output("y");
  const Tensor x =
      Tensor::FromVector<float>(DType::kFloat32, {2, 3, 3}, {0, 1, 2, 3, 0, 4, 5, 6, 0, 1, 2, 3, 2, 4, 6, 0, 1, 1});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), NearTo({56, 0}));
}

TEST(OnnxInverse, TimesItsMatrixIsTheIdentity) {
  ModelMaker model(22);
  model.Input("x", {2, 2}).Node("Inverse", {"x"}, {"y"}).Domain("com.microsoft").Output("y");
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {2, 2}, {0, 2, 4, 6});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", x}})[0]), NearTo({-0.75F, 0.25F, 0.5F, 0}));
  ModelMaker large(22);
  large.Input("x", {65, 65}).Node("Det", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(large.Bytes()), HasSubstr("square matrices of up to 64 rows"));
}

// One tap, which is moved by half a pixel to the right and halved by the mask.
TEST(OnnxDeformConv, MovesItsTaps) {
  ModelMaker model(22);
  model.Input("x", {1, 2, 1, 3})
      .Weight("w", {1, 2, 1, 1}, {1, 10})
      .Input("offset", {1, 2, 1, 3})
      .Weight("b", {1}, {100});
  model.Input("mask", {1, 1, 1, 3}).Node("DeformConv", {"x", "w", "offset", "b", "mask"}, {"y"}).Output("y");
  const Tensor offset = Tensor::FromVector<float>(DType::kFloat32, {1, 2, 1, 3}, {0, 0, 0, 0.5F, 0.5F, 0.5F});
  const Tensor mask = Tensor::FromVector<float>(DType::kFloat32, {1, 1, 1, 3}, {0.5F, 0.5F, 0.5F});
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Counting({1, 2, 1, 3})}, {"offset", offset}, {"mask", mask}})[0];
  EXPECT_THAT(Values(y), NearTo({117.75F, 123.25F, 113}, 1e-4F));
}

TEST(OnnxDeformConv, WantsOffsetsForItsTaps) {
  ModelMaker model(22);
  model.Input("x", {1, 1, 4, 4}).Filled("w", {1, 1, 3, 3}, 1).Input("offset", {1, 18, 4, 4});
  model.Node("DeformConv", {"x", "w", "offset"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("offsets of 1x18x4x4; 1x18x2x2 are right"));
}

TEST(OnnxTfIdf, CountsGramsWithGaps) {
  const auto counted = [](const std::string& mode) {
    ModelMaker model(9);
    model.IntegerInput("x", 6, {1, 6});
    model.Node("TfIdfVectorizer", {"x"}, {"y"},
               {{"mode", mode},
                {"min_gram_length", int64_t{1}},
                {"max_gram_length", int64_t{2}},
                {"max_skip_count", int64_t{1}},
                {"ngram_counts", Ints{0, 2}},
                {"ngram_indexes", Ints{3, 0, 1}},
                {"pool_int64s", Ints{5, 6, 5, 7}}});
    auto& weights = *model.graph().mutable_node(0)->add_attribute();
    weights.set_name("weights");
    weights.set_type(onnx::AttributeProto::FLOATS);
    for (const float w : {2.0F, 3.0F, 4.0F}) weights.add_floats(w);
    const Tensor x = Typed(DType::kInt32, {1, 6}, {5, 7, 7, 5, 6, 7});
    return Values(RunOnnx(model.Output("y").Bytes(), {{"x", x}})[0]);
  };
  EXPECT_THAT(counted("TF"), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(counted("IDF"), ElementsAre(3, 4, 0, 2));
  EXPECT_THAT(counted("TFIDF"), ElementsAre(3, 12, 0, 4));
}

TEST(OnnxMelWeightMatrix, IsKnownAtImport) {
  ModelMaker model(17);
  model.Ints("bands", {2}).Ints("length", {8}).Ints("rate", {16000});
  model.Weight("low", {}, {0}).Weight("high", {}, {8000}).Input("x", {5, 2});
  model.Node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, {"m"}).Node("Mul", {"x", "m"}, {"y"});
  Tensor ones(DType::kFloat32, {5, 2});
  for (int64_t i = 0; i < 10; ++i) ones.Set(i, 1);
  // The corners are the bins 0, 0, 0 and 2.
  EXPECT_THAT(Values(RunOnnx(model.Output("y").Bytes(), {{"x", ones}})[0]),
              ElementsAre(1, 1, 0, 0.5F, 0, 0, 0, 0, 0, 0));
}

TEST(OnnxCropAndResize, FillsWhatLiesOutside) {
  ModelMaker model(18);
  model.Input("x", {2, 1, 2, 2}).Weight("rois", {2, 4}, {0, 0, 1, 1, 0, 0, 1, 2}).Integers("images", 6, {2}, {0, 1});
  model.Integers("size", 6, {2}, {2, 2})
      .Node("CropAndResize", {"x", "rois", "images", "size"}, {"y"}, {{"extrapolation_value", -1.0}});
  const Tensor y = RunOnnx(model.Domain("com.microsoft").Output("y").Bytes(), {{"x", Counting({2, 1, 2, 2})}})[0];
  EXPECT_THAT(Values(y), NearTo({0, 1, 2, 3, 4, -1, 6, -1}));
}

TEST(OnnxScan, OfOpset8RunsOverEachImage) {
  ModelMaker model(8);
  model.Input("sum", {2})
      .Input("x", {2, 3})
      .Node("Scan", {"", "sum", "x"}, {"last", "all"}, {{"num_scan_inputs", int64_t{1}}});
  ModelMaker body(8);
  body.Input("s", {})
      .Input("e", {})
      .Node("Add", {"s", "e"}, {"t"})
      .Node("Identity", {"t"}, {"u"})
      .Output("t")
      .Output("u");
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
  model.Output("last").Output("all");
  const auto results = RunOnnx(model.Bytes(), {{"sum", Typed(DType::kFloat32, {2}, {0, 10})}, {"x", Counting({2, 3})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(3, 22));
  EXPECT_THAT(Values(results[1]), ElementsAre(0, 1, 3, 13, 17, 22));
}

}  // namespace
}  // namespace hone
