#include <cmath>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TopK, PutsTheBestInOrderAndTheFirstOfEqualsFirst) {
  const Tensor x = Floats({2, 4}, {3, 9, 1, 9, 0, 2, 1, 3});
  const auto best = RunOp("topk", {x}, {{"k", int64_t{3}}});
  EXPECT_THAT(Values(best[0]), ElementsAre(9, 9, 3, 3, 2, 1));
  EXPECT_THAT(Values(best[1]), ElementsAre(1, 3, 0, 3, 1, 2));
  const auto least = RunOp("topk", {x}, {{"k", int64_t{1}}, {"axis", int64_t{0}}, {"is_ascend", true}});
  EXPECT_THAT(Values(least[1]), ElementsAre(1, 1, 0, 1));
}

TEST(TopK, TakesNanForTheBest) {
  const Tensor x = Floats({3}, {3, std::nanf(""), 9});
  EXPECT_THAT(Values(RunOp("topk", {x}, {{"k", int64_t{2}}})[1]), ElementsAre(1, 2));
  EXPECT_THAT(Values(RunOp("topk", {x}, {{"k", int64_t{2}}, {"is_ascend", true}})[1]), ElementsAre(1, 0));
}

TEST(TopKType, HoldsKToTheAxis) {
  EXPECT_EQ(ResultType("topk", {TensorType({2, 9}, DType::kInt8)}, {{"k", int64_t{4}}}),
            "(Tensor[(2, 4), int8], Tensor[(2, 4), int64])");
  EXPECT_THAT(ResultType("topk", {TensorType({2, 3})}, {{"k", int64_t{4}}}), HasSubstr("k is 4, the axis has 3"));
  EXPECT_THAT(ResultType("topk", {TensorType({2, 3})}, {{"k", int64_t{0}}}), HasSubstr("k is 0"));
}

}  // namespace
}  // namespace hone::relay
