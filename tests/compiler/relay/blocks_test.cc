#include <cmath>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Attrs kBlocks{{"bits", int64_t{8}}, {"block", int64_t{4}}};

Attrs WithColumns(int64_t columns) {
  Attrs attrs = kBlocks;
  attrs.Set("columns", columns);
  return attrs;
}

// Rows of five: 1 -2 3 -4 | 5 and 0 1 0 1 | 2.
Tensor Words() { return Tensor::FromVector<uint32_t>(DType::kInt32, {2, 2}, {0xFC03FE01, 5, 0x01000100, 2}); }
Tensor Scales() { return Floats({2, 2}, {1, 10, 2, 0.5F}); }
Tensor Zeros() { return Tensor::FromVector<int8_t>(DType::kInt8, {2, 2}, {0, 1, -1, 0}); }

TEST(Blocks, AreUnpackedByTheirScales) {
  EXPECT_THAT(RunFor("unpack_blocks", {Words(), Scales()}, WithColumns(5)),
              ElementsAre(1, -2, 3, -4, 50, 0, 2, 0, 2, 1));
  EXPECT_THAT(RunFor("unpack_blocks", {Words(), Scales(), Zeros()}, WithColumns(5)),
              ElementsAre(1, -2, 3, -4, 40, 2, 4, 2, 4, 1));
}

TEST(Blocks, AreMultipliedAsTheirValues) {
  const Tensor x = Floats({2, 5}, {1, 1, 1, 1, 1, 1, 0, 0, 0, 2});
  EXPECT_THAT(RunFor("nn.dense_blocks", {x, Words(), Scales()}, kBlocks), ElementsAre(48, 5, 101, 2));
  EXPECT_THAT(RunFor("nn.dense_blocks", {x, Words(), Scales(), Zeros()}, kBlocks), ElementsAre(38, 13, 81, 4));
}

// The largest magnitude of each block is 127, so its step is 1.
TEST(Blocks, AreMultipliedWithRowsOfBytes) {
  Attrs attrs = kBlocks;
  attrs.Set("activations", std::string("int8"));
  const Tensor x = Floats({1, 5}, {-127, 1.4F, 0.5F, 1.5F, 127});
  EXPECT_THAT(RunFor("nn.dense_blocks", {x, Words(), Scales()}, attrs),
              ElementsAre(-127 - 2 + 0 - 8 + 127 * 50, 2 + 4 + 127));
  const Tensor far = Floats({1, 5}, {1, 1, 1, 1, INFINITY});
  EXPECT_THAT(RunFor("nn.dense_blocks", {far, Words(), Scales()}, attrs), ::testing::Each(::testing::IsNan()));
  attrs.Set("activations", std::string("int4"));
  EXPECT_THAT(
      ResultType("nn.dense_blocks", {TensorType({1, 5}), TensorType({2, 2}, DType::kInt32), TensorType({2, 2})}, attrs),
      HasSubstr("must be float32 or int8"));
}

TEST(Blocks, ThatDoNotFitAreRefused) {
  const auto words = TensorType({2, 2}, DType::kInt32), scales = TensorType({2, 2});
  EXPECT_EQ(ResultType("unpack_blocks", {words, scales}, WithColumns(5)), "Tensor[(2, 5), float32]");
  EXPECT_THAT(ResultType("unpack_blocks", {words, scales}, WithColumns(9)), HasSubstr("rows of 3 are right for 9"));
  EXPECT_THAT(ResultType("unpack_blocks", {words, scales}, kBlocks), HasSubstr("columns = 0"));
  EXPECT_THAT(ResultType("unpack_blocks", {words, TensorType({2, 1})}, WithColumns(5)), HasSubstr("scales is 2x1"));
  EXPECT_THAT(
      ResultType("nn.dense_blocks", {TensorType({3, 5}), words, scales, TensorType({1, 2}, DType::kInt8)}, kBlocks),
      HasSubstr("zeros is 1x2"));
  EXPECT_THAT(ResultType("nn.dense_blocks", {TensorType({3, 5}), words, scales}, {{"block", int64_t{3}}}),
              HasSubstr("'int4x3' is no format"));
}

}  // namespace
}  // namespace hone::relay
