#include <cmath>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ArgReduce, FindsTheFirstOrTheLastWinner) {
  const Tensor x = Floats({2, 4}, {3, 1, 3, 1, 0, 5, 5, 2});
  EXPECT_THAT(RunFor("argmax", {x}, {{"axis", int64_t{1}}}), ElementsAre(0, 1));
  EXPECT_THAT(RunFor("argmin", {x}, {{"axis", int64_t{-1}}}), ElementsAre(1, 0));
  EXPECT_THAT(RunFor("argmax", {x}, {{"axis", int64_t{1}}, {"select_last_index", true}}), ElementsAre(2, 2));
  EXPECT_THAT(RunFor("argmax", {x}, {{"axis", int64_t{0}}}), ElementsAre(0, 1, 1, 1));
}

TEST(ArgReduce, TakesNanForTheWinner) {
  const Tensor x = Floats({4}, {3, std::nanf(""), 9, std::nanf("")});
  EXPECT_THAT(RunFor("argmax", {x}), ElementsAre(1));
  EXPECT_THAT(RunFor("argmin", {x}, {{"select_last_index", true}}), ElementsAre(3));
}

TEST(ArgReduceType, KeepsTheAxisWhenAsked) {
  EXPECT_EQ(ResultType("argmax", {TensorType({2, 3, 4})}, {{"axis", int64_t{1}}, {"keepdims", true}}),
            "Tensor[(2, 1, 4), int64]");
  EXPECT_EQ(ResultType("argmin", {TensorType({2, 3, 4})}, {{"axis", int64_t{1}}}), "Tensor[(2, 4), int64]");
  EXPECT_THAT(ResultType("argmax", {TensorType({2, 0})}, {{"axis", int64_t{1}}}), HasSubstr("an axis of 0 elements"));
}

TEST(Reduce, MultipliesAndFindsTheLeast) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, -4, 5, 6});
  EXPECT_THAT(RunFor("prod", {x}, {{"axis", Ints{1}}}), ElementsAre(6, -120));
  EXPECT_THAT(RunFor("min", {x}, {{"axis", Ints{0}}}), ElementsAre(-4, 2, 3));
}

}  // namespace
}  // namespace hone::relay
