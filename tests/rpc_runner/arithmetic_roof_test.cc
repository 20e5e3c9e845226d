#include <gtest/gtest.h>

#include "rpc_runner/executor/judge/judge_results.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

TEST(ArithmeticRoof, IsUnknownBeforeItIsMeasured) {
  const ArithmeticRoof roof(ProbeEnvironment().features);
  EXPECT_EQ(roof.LeastNs(1'000'000'000, 1, true), 0);
}

// The roof's own loop takes longer than the bound by the margin, even on a busy machine.
TEST(ArithmeticRoof, LiesFarBelowWhatItsOwnLoopTakes) {
  ArithmeticRoof roof(ProbeEnvironment().features);
  roof.Measure();
  const double once = roof.LeastNs(1'000'000'000, 1, true);
  // A core does fewer than a million multiply-adds in a ns, and more than one in a microsecond.
  EXPECT_GT(once, 1);
  EXPECT_LT(once, 1e12);
  EXPECT_DOUBLE_EQ(roof.LeastNs(1'000'000'000, 4, true), once / 4);
  EXPECT_DOUBLE_EQ(roof.LeastNs(1'000'000'000, 1, false), once / ArithmeticRoof::kBytesMargin);
  EXPECT_DOUBLE_EQ(roof.LeastNs(2'000'000'000, 1, true), 2 * once);
  roof.Measure();
  EXPECT_LE(roof.LeastNs(1'000'000'000, 1, true), once) << "it fell";
}

TEST(ArithmeticRoof, KnowsWhichKernelsAreOfFloats) {
  Artifact artifact;
  artifact.operands.resize(2);
  EXPECT_TRUE(IsFloat32(artifact));
  artifact.operands[1].dtype = DType::kInt8;
  EXPECT_FALSE(IsFloat32(artifact));
}

}  // namespace
}  // namespace hone
