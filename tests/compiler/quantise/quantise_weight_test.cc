#include "compiler/quantise/quantise_weight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Tensor Normal(const Shape& shape) {
  Tensor values(DType::kFloat32, shape);
  FillTensor(values, Fill::kNormal, 7);
  return values;
}

TEST(QuantiseWeight, GivesEachChannelItsOwnScale) {
  const Tensor weight = Tensor::FromVector<float>(DType::kFloat32, {2, 3}, {1.27F, 0, -0.02F, 12.7F, -12.7F, 0.4F});
  const QuantisedWeight rows = QuantiseWeight(weight, 0, {});
  EXPECT_FLOAT_EQ(rows.scales[0], 0.01F);
  EXPECT_FLOAT_EQ(rows.scales[1], 0.1F);
  std::vector<double> integers;
  for (int64_t i = 0; i < 6; ++i) integers.push_back(rows.integers.At(i));
  EXPECT_THAT(integers, ElementsAre(127, 0, -2, 127, -127, 4));
  EXPECT_EQ(QuantiseWeight(weight, 1, {}).scales.size(), 3u);
}

TEST(QuantiseWeight, IsOffByHalfAStepAtMost) {
  const Tensor weight = Normal({8, 5, 3, 3});
  const QuantisedWeight quantised = QuantiseWeight(weight, 0, {});
  for (int64_t c = 0; c < 8; ++c) {
    double largest = 0, worst = 0;
    for (int64_t i = c * 45; i < (c + 1) * 45; ++i) {
      const double rounded = quantised.integers.At(i) * static_cast<double>(quantised.scales[static_cast<size_t>(c)]);
      largest = std::max(largest, std::fabs(weight.At(i)));
      worst = std::max(worst, std::fabs(rounded - weight.At(i)));
    }
    EXPECT_LE(worst, largest / 127 / 2 * 1.001) << c;
    EXPECT_GT(worst, 0) << c;
  }
}

// Zero weights have no scale of their own; a coarse scale must not lose the bias.
TEST(QuantiseWeight, HoldsTheBiasOfAChannelThatIsDead) {
  const std::vector<double> bias{0.75, -3};
  const double value_scale = 0.1;
  const QuantisedWeight quantised =
      QuantiseWeight(Tensor(DType::kFloat32, {2, 4}), 0, LeastScalesFor(bias, value_scale));
  const Tensor integers = QuantiseBias(bias, value_scale, quantised.scales);
  for (int64_t c = 0; c < 2; ++c) {
    const double held = integers.At(c) * value_scale * static_cast<double>(quantised.scales[static_cast<size_t>(c)]);
    EXPECT_NEAR(held, bias[static_cast<size_t>(c)], 1e-6);
    EXPECT_LE(std::fabs(integers.At(c)), 1 << 23) << "it could not be added to sums in float32";
  }
  EXPECT_EQ(QuantiseWeight(Tensor(DType::kFloat32, {1, 4}), 0, {}).scales[0], 1.0F);
}

// Outputs 0 and 1 read inputs 0 and 1; outputs 2 and 3 read inputs 2 and 3.
TEST(MeanShift, IsWhatRoundedWeightsDoToTheMean) {
  const Tensor weight = Normal({4, 2, 1, 1});
  const QuantisedWeight quantised = QuantiseWeight(weight, 0, {});
  const std::vector<double> means{1, -2, 30, 0.5};
  std::vector<double> expected(4, 0.0);
  for (size_t c = 0; c < 4; ++c) {
    for (size_t i = 0; i < 2; ++i) {
      const auto at = static_cast<int64_t>(c * 2 + i);
      const double rounded = quantised.integers.At(at) * static_cast<double>(quantised.scales[c]);
      expected[c] += (rounded - weight.At(at)) * means[c / 2 * 2 + i];
    }
  }
  EXPECT_THAT(MeanShift(weight, quantised, 0, 1, means), Pointwise(DoubleNear(1e-12), expected));
}

}  // namespace
}  // namespace hone
