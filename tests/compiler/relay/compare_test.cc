#include <cmath>
#include <limits>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Bools(Shape shape, const std::vector<uint8_t>& values) {
  return Tensor::FromVector(DType::kBool, std::move(shape), values);
}

TEST(Compare, OrdersNumbersAndFailsForNan) {
  const Tensor a = Floats({5}, {1, 2, 3, kNan, kNan}), b = Floats({5}, {2, 2, 2, 1, kNan});
  EXPECT_THAT(RunFor("equal", {a, b}), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(RunFor("not_equal", {a, b}), ElementsAre(1, 0, 1, 1, 1));
  EXPECT_THAT(RunFor("less", {a, b}), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(RunFor("less_equal", {a, b}), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(RunFor("greater", {a, b}), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(RunFor("greater_equal", {a, b}), ElementsAre(0, 1, 1, 0, 0));
}

TEST(Compare, TellsLargeIntegersApart) {
  const int64_t big = int64_t{1} << 60;
  EXPECT_THAT(RunFor("equal", {Int64s({2}, {big, big + 1}), Int64s({1}, {big})}), ElementsAre(1, 0));
  EXPECT_THAT(RunFor("less", {Int64s({1}, {big}), Int64s({1}, {big + 1})}), ElementsAre(1));
}

TEST(Logic, CombinesTruthValues) {
  const Tensor a = Bools({4}, {0, 0, 1, 1}), b = Bools({4}, {0, 1, 0, 1});
  EXPECT_THAT(RunFor("logical_and", {a, b}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(RunFor("logical_or", {a, b}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(RunFor("logical_xor", {a, b}), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(RunFor("logical_not", {a}), ElementsAre(1, 1, 0, 0));
}

TEST(Where, ChoosesElementByElementWithBroadcasting) {
  const Tensor condition = Bools({2, 1}, {1, 0});
  EXPECT_THAT(RunFor("where", {condition, Floats({3}, {1, 2, 3}), Tensor::Scalar(-1)}),
              ElementsAre(1, 2, 3, -1, -1, -1));
  const int64_t big = (int64_t{1} << 60) + 1;
  EXPECT_EQ(RunOp("where", {condition, Int64s({1}, {big}), Int64s({1}, {7})})[0].data<int64_t>()[0], big);
}

TEST(CompareType, ChecksDtypes) {
  const TypePtr f = TensorType({2, 3}), b = TensorType({3}, DType::kBool);
  EXPECT_EQ(ResultType("less", {f, f}), "Tensor[(2, 3), bool]");
  EXPECT_EQ(ResultType("where", {b, f, TensorType({})}), "Tensor[(2, 3), float32]");
  EXPECT_THAT(ResultType("less", {f, b}), HasSubstr("rhs is bool, it must be float32 like lhs"));
  EXPECT_THAT(ResultType("where", {f, f, f}), HasSubstr("condition is float32, it must be bool"));
  EXPECT_THAT(ResultType("logical_and", {b, f}), HasSubstr("rhs is float32, it must be bool"));
}

}  // namespace
}  // namespace hone::relay
