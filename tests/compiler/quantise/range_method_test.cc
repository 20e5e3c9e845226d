#include "compiler/quantise/range_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"

namespace hone {
namespace {

using testing::HasSubstr;

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

ValueHistogram HistogramOf(const Tensor& values) {
  ValueRange range;
  EXPECT_TRUE(range.Add(values));
  ValueHistogram histogram(range);
  histogram.Add(values);
  return histogram;
}

// Normal values, rectified or not, with one outlier that is `outlier` times as large.
Tensor Normal(int64_t count, bool rectified, float outlier) {
  Tensor values(DType::kFloat32, {count});
  FillTensor(values, Fill::kNormal, 3);
  for (int64_t i = 0; rectified && i < count; ++i) values.Set(i, std::max(0.0, values.At(i)));
  values.Set(0, static_cast<double>(outlier));
  return values;
}

TEST(ValueRange, ReachesToZeroAndTakesFiniteValuesAlone) {
  ValueRange range;
  EXPECT_TRUE(range.Add(Floats({2, 3})));
  EXPECT_EQ(range, (ValueRange{0, 3}));
  EXPECT_TRUE(range.Add(Floats({-1})));
  EXPECT_EQ(range, (ValueRange{-1, 3}));
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_FALSE(range.Add(Floats({-9, bad})));
    EXPECT_EQ(range, (ValueRange{-1, 3})) << "a part of what was refused was taken";
  }
}

TEST(ByteScale, HasAByteForZero) {
  EXPECT_EQ(ByteScaleOf({0, 255}), (ByteScale{1, 0}));
  EXPECT_EQ(ByteScaleOf({-255, 0}), (ByteScale{1, 255}));
  EXPECT_EQ(ByteScaleOf({-100, 155}), (ByteScale{1, 100}));
  EXPECT_EQ(ByteScaleOf({0, 0}), (ByteScale{1, 0}));
  EXPECT_EQ(ByteScaleOf({0, 1e-42}), (ByteScale{1, 0})) << "a scale that is no normal number divides nothing";
}

TEST(RangeMethod, MinMaxKeepsAll) {
  const ValueHistogram histogram = HistogramOf(Floats({-2, 0.5F, 7}));
  EXPECT_EQ(ChooseRange(histogram, RangeMethod::kMinMax, 0), (ValueRange{-2, 7}));
}

TEST(RangeMethod, PercentileCutsTheRarestOnBothSides) {
  Tensor values(DType::kFloat32, {10000});
  FillTensor(values, Fill::kUniform, 1);
  values.Set(0, 100);
  values.Set(1, -50);
  const ValueRange range = ChooseRange(HistogramOf(values), RangeMethod::kPercentile, 99.9);
  EXPECT_NEAR(range.high, 1, 0.1);
  EXPECT_NEAR(range.low, -1, 0.1);
  const ValueRange all = ChooseRange(HistogramOf(values), RangeMethod::kPercentile, 100);
  EXPECT_NEAR(all.high, 100, 1e-9);
  EXPECT_NEAR(all.low, -50, 1e-9);
}

TEST(RangeMethod, EntropyCutsAnOutlierAndLittleElse) {
  for (const bool rectified : {false, true}) {
    const ValueRange range = ChooseRange(HistogramOf(Normal(100000, rectified, 30)), RangeMethod::kEntropy, 0);
    EXPECT_LT(range.high, 15) << rectified;
    EXPECT_GT(range.high, 2.5) << rectified;
  }
}

// The method mse minimises the error, so no other method's range gives a smaller one.
TEST(RangeMethod, MseIsNeverWorseThanTheOthers) {
  for (const float outlier : {1.0F, 5.0F, 40.0F, 300.0F}) {
    for (const bool rectified : {false, true}) {
      const ValueHistogram histogram = HistogramOf(Normal(20000, rectified, outlier));
      const double least = MeanSquaredError(histogram, ChooseRange(histogram, RangeMethod::kMse, 0));
      for (const RangeMethod method : {RangeMethod::kMinMax, RangeMethod::kPercentile}) {
        const double other = MeanSquaredError(histogram, ChooseRange(histogram, method, 100));
        EXPECT_LE(least, other * (1 + 1e-9)) << RangeMethodName(method) << " " << outlier;
      }
    }
  }
}

TEST(RangeMethod, MseShortensWhatAnOutlierStretches) {
  const ValueHistogram histogram = HistogramOf(Normal(1000000, true, 30));
  const ValueRange range = ChooseRange(histogram, RangeMethod::kMse, 0);
  EXPECT_LT(range.high, 29);
  EXPECT_LT(MeanSquaredError(histogram, range), 0.9 * MeanSquaredError(histogram, histogram.range()));
}

TEST(RangeMethod, OfNothingButZerosIsEmpty) {
  for (const std::string& name : RangeMethodNames()) {
    EXPECT_EQ(ChooseRange(HistogramOf(Floats({0, 0})), ParseRangeMethod(name), 99), (ValueRange{0, 0})) << name;
  }
}

TEST(RangeMethod, NamesAreReadBackAndOthersRefused) {
  for (const std::string& name : RangeMethodNames()) EXPECT_EQ(RangeMethodName(ParseRangeMethod(name)), name);
  try {
    ParseRangeMethod("entropie");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("entropie"));
    EXPECT_THAT(error.what(), HasSubstr("min-max, percentile, mse, entropy"));
  }
}

}  // namespace
}  // namespace hone
