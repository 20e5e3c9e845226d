#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::Each;
using testing::DoubleNear;
using testing::HasSubstr;

// Pairs that agree have one solution: each class is as likely as it is in all its pairs.
TEST(CouplePairs, FindsTheClassesOfPairsThatAgree) {
  const std::vector<float> p{0.5F, 0.3F, 0.2F};
  const Tensor pairs = Floats({1, 3}, {p[0] / (p[0] + p[1]), p[0] / (p[0] + p[2]), p[1] / (p[1] + p[2])});
  const auto found = RunFor("couple_pairs", {pairs});
  ASSERT_EQ(found.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], p[i], 0.005) << i;
  EXPECT_THAT(RunFor("couple_pairs", {Floats({2, 6}, std::vector<float>(12, 0.5F))}), Each(DoubleNear(0.25, 1e-6)));
}

// Two classes take two steps towards 0.9 before they are near enough.
TEST(CouplePairs, EndsBeforeItIsExact) {
  const auto found = RunFor("couple_pairs", {Floats({1, 1}, {0.9F})});
  EXPECT_NEAR(found[0] + found[1], 1, 1e-6);
  EXPECT_NEAR(found[0], 0.9, 0.01);
}

TEST(CouplePairsType, HasAColumnForEachClass) {
  EXPECT_EQ(ResultType("couple_pairs", {TensorType({7, 10})}, {}), "Tensor[(7, 5), float32]");
  EXPECT_THAT(ResultType("couple_pairs", {TensorType({7, 5})}, {}), HasSubstr("5 columns are not the pairs"));
  EXPECT_THAT(ResultType("couple_pairs", {TensorType({7, 0})}, {}), HasSubstr("0 columns"));
}

}  // namespace
}  // namespace hone::relay
