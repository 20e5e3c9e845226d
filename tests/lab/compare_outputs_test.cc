#include "lab/verify/compare_outputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace hone {
namespace {

Tensor Of(const std::vector<float>& values) {
  return Tensor::FromVector<float>(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

TEST(CompareOutput, MeasuresAgainstTheLargestReference) {
  const OutputError e = CompareOutput("y", Of({10.5, 1}), Of({10, 1}), 1e-4);
  EXPECT_NEAR(e.worst, 0.05, 1e-7);
  EXPECT_EQ(e.index, 0);
  EXPECT_FALSE(e.agrees);
}

TEST(CompareOutput, AgreesWithItself) { EXPECT_TRUE(CompareOutput("y", Of({1, -2}), Of({1, -2}), 0).agrees); }

TEST(CompareOutput, ComparesZerosAbsolutely) {
  EXPECT_TRUE(CompareOutput("y", Of({0, 0}), Of({0, 0}), 1e-4).agrees);
  EXPECT_FALSE(CompareOutput("y", Of({0, 1}), Of({0, 0}), 1e-4).agrees);
}

TEST(CompareOutput, NeverAgreesWhenANanDiffers) {
  EXPECT_FALSE(CompareOutput("y", Of({NAN, 1}), Of({1, 1}), 1).agrees);
  EXPECT_FALSE(CompareOutput("y", Of({1, 1}), Of({NAN, 1}), 1).agrees);
  EXPECT_FALSE(CompareOutput("y", Of({INFINITY, 1}), Of({-INFINITY, 1}), 1).agrees);
  EXPECT_TRUE(CompareOutput("y", Of({NAN, 1}), Of({NAN, 1}), 0).agrees);
}

TEST(CompareOutput, RefusesAnotherShape) { EXPECT_THROW(CompareOutput("y", Of({1}), Of({1, 2}), 1), Error); }

}  // namespace
}  // namespace hone
