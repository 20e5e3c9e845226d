#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Gather, PicksAnElementPerIndex) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(RunFor("gather", {x, Int64s({2, 2}, {2, 0, -1, 1})}, {{"axis", int64_t{1}}}), ElementsAre(3, 1, 6, 5));
  EXPECT_THAT(RunFor("gather", {x, Int64s({1, 3}, {1, 0, 1})}), ElementsAre(4, 2, 6));
  EXPECT_THROW(RunOp("gather", {x, Int64s({1, 1}, {2})}), Error);
}

TEST(GatherNd, PicksElementsAndSlices) {
  const Tensor x = Floats({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  // The positions (0, 1) and (1, 0): slices of two.
  EXPECT_THAT(RunFor("gather_nd", {x, Int64s({2, 2}, {0, 1, 1, 0})}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(RunFor("gather_nd", {x, Int64s({3, 1}, {1, -1, 0})}), ElementsAre(6));
  // One position per batch: row 1 of the first batch, row 0 of the second.
  EXPECT_THAT(RunFor("gather_nd", {x, Int64s({1, 2}, {1, 0})}, {{"batch_dims", int64_t{1}}}), ElementsAre(2, 3, 4, 5));
}

TEST(GatherType, ChecksIndicesAgainstData) {
  const TypePtr x = TensorType({2, 3}), wide = TensorType({3, 3}, DType::kInt64);
  EXPECT_THAT(ResultType("gather", {x, wide}, {{"axis", int64_t{1}}}), HasSubstr("indices 3x3 reach past data 2x3"));
  EXPECT_EQ(ResultType("gather", {x, wide}), "Tensor[(3, 3), float32]");
  EXPECT_THAT(ResultType("gather", {x, x}), HasSubstr("indices is float32, it must be int32 or int64"));
  EXPECT_THAT(ResultType("gather_nd", {x, wide}), HasSubstr("positions of 3 parts"));
  EXPECT_EQ(ResultType("gather_nd", {x, TensorType({1, 5}, DType::kInt64)}), "Tensor[(5, 3), float32]");
}

}  // namespace
}  // namespace hone::relay
