#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Attrs Along(int64_t axis, bool exclusive = false, bool reverse = false) {
  return {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}};
}

TEST(Cumulative, AddsWhatComesBefore) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(RunFor("cumsum", {x}, Along(1)), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(RunFor("cumsum", {x}, Along(-2)), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(RunFor("cumsum", {x}, Along(1, true)), ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(RunFor("cumsum", {x}, Along(1, false, true)), ElementsAre(6, 5, 3, 15, 11, 6));
  EXPECT_THAT(RunFor("cumprod", {x}, Along(1, true, true)), ElementsAre(6, 3, 1, 30, 6, 1));
}

TEST(Cumulative, KeepsWhatOnlyInt64HoldsAndWraps) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const Tensor sums = RunOp("cumsum", {Int64s({3}, {large, 1, INT64_MAX})}, Along(0))[0];
  EXPECT_EQ(sums.data<int64_t>()[1], large + 1);
  EXPECT_EQ(sums.data<int64_t>()[2], INT64_MIN + large);
  const Tensor bytes = Tensor::FromVector<int8_t>(DType::kInt8, {2}, {100, 100});
  EXPECT_THAT(RunFor("cumsum", {bytes}, Along(0)), ElementsAre(100, -56));
}

TEST(CumulativeType, IsThatOfTheData) {
  EXPECT_EQ(ResultType("cumsum", {TensorType({2, 9}, DType::kInt32)}, Along(-1)), "Tensor[(2, 9), int32]");
  EXPECT_THAT(ResultType("cumprod", {TensorType({2, 9})}, Along(2)), HasSubstr("axis 2"));
}

}  // namespace
}  // namespace hone::relay
