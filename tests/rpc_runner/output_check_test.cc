#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "rpc_runner/executor/judge/judge_results.h"

namespace hone {
namespace {

// Values 1 and 2 with magnitudes 1 and 4, then a lane past the axis.
const std::vector<double> kExpected = {1, 2, 0, 2, 5, 0};

double Worst(std::vector<float> got) { return WorstError(got.data(), DType::kFloat32, 3, kExpected.data(), 1e-3); }

TEST(OutputCheck, MeasuresInTolerancesOfTheMagnitude) {
  EXPECT_EQ(Worst({1, 2, 0}), 0);
  EXPECT_NEAR(Worst({1.0005f, 2, 0}), 0.5, 1e-2);
  EXPECT_NEAR(Worst({1, 2.008f, 0}), 2, 1e-2);
}

TEST(OutputCheck, RefusesNanInfinityAndDirtyLanes) {
  EXPECT_EQ(Worst({std::numeric_limits<float>::quiet_NaN(), 2, 0}), kWrongBeyondMeasure);
  EXPECT_EQ(Worst({1, std::numeric_limits<float>::infinity(), 0}), kWrongBeyondMeasure);
  EXPECT_EQ(Worst({1, 2, 1e-20f}), kWrongBeyondMeasure);
  EXPECT_EQ(Worst({1, std::numeric_limits<float>::quiet_NaN(), 0}), kWrongBeyondMeasure);
}

TEST(OutputCheck, ReadsEveryDtype) {
  const std::vector<int32_t> got = {1, 2, 0};
  EXPECT_EQ(WorstError(got.data(), DType::kInt32, 3, kExpected.data(), 0), 0);
  const std::vector<uint8_t> bytes = {1, 3, 0};
  EXPECT_GT(WorstError(bytes.data(), DType::kUInt8, 3, kExpected.data(), 0), 1);
}

}  // namespace
}  // namespace hone
