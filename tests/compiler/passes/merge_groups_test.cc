#include <gtest/gtest.h>

#include "compiler/passes/convolutions/conv_passes.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::Call;
using relay::ExprPtr;

// The number of groups of a convolution after the pass with 8 lanes. Checks that the results are unchanged.
int64_t Groups(int64_t groups, int64_t inputs, int64_t outputs) {
  const ExprPtr weight = RandomConstant({groups * outputs, inputs, 3, 3}, 7);
  const ExprPtr conv = relay::MakeCall("nn.conv2d", {Input("x", {1, groups * inputs, 5, 4}), weight},
                                       {{"groups", groups}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}});
  const relay::IRModule module = ModuleOf(conv);
  const relay::IRModule after = MergeGroups(module, 8);
  ExpectSameMeaning(module, after);
  return relay::AsCall(after.main->body)->attrs.GetInt("groups");
}

TEST(MergeGroups, AsManyAsFillTheLanes) {
  EXPECT_EQ(Groups(6, 4, 4), 3);
  EXPECT_EQ(Groups(8, 2, 2), 2);
  EXPECT_EQ(Groups(4, 3, 4), 2);
}

TEST(MergeGroups, OthersStay) {
  EXPECT_EQ(Groups(2, 8, 8), 2) << "full already";
  EXPECT_EQ(Groups(4, 6, 6), 4) << "6 outputs do not divide 8 lanes";
  EXPECT_EQ(Groups(3, 4, 4), 3) << "an odd group would be left";
  EXPECT_EQ(Groups(8, 1, 1), 8) << "depthwise";
  EXPECT_EQ(Groups(8, 1, 2), 8) << "depthwise with a multiplier";
  EXPECT_EQ(Groups(1, 4, 4), 1);
}

}  // namespace
}  // namespace hone::testing
