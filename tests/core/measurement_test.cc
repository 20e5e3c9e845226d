#include "core/measurement.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/tensor.h"
#include "core/workload.h"

namespace hone {
namespace {

// These numbers are stored and read by scripts: changing one breaks existing data.
static_assert(static_cast<int>(Fate::kOk) == 0 && static_cast<int>(Fate::kInvalidConfig) == 1 &&
              static_cast<int>(Fate::kUnsupported) == 2 && static_cast<int>(Fate::kCompileFailed) == 3 &&
              static_cast<int>(Fate::kWrongOutput) == 4 && static_cast<int>(Fate::kOutOfBounds) == 5 &&
              static_cast<int>(Fate::kCrashed) == 6 && static_cast<int>(Fate::kTimedOut) == 7 &&
              static_cast<int>(Fate::kOutOfMemory) == 8 && static_cast<int>(Fate::kPolicyViolation) == 9 &&
              static_cast<int>(Fate::kRunnerLost) == 10 && static_cast<int>(Fate::kCancelled) == 11);
static_assert(static_cast<int>(ExitCode::kDone) == 0 && static_cast<int>(ExitCode::kAnswerIsNo) == 1 &&
              static_cast<int>(ExitCode::kUsage) == 2 && static_cast<int>(ExitCode::kBadData) == 65 &&
              static_cast<int>(ExitCode::kNoInput) == 66 && static_cast<int>(ExitCode::kNoRunner) == 69 &&
              static_cast<int>(ExitCode::kBug) == 70 && static_cast<int>(ExitCode::kCannotCreate) == 73 &&
              static_cast<int>(ExitCode::kIo) == 74 && static_cast<int>(ExitCode::kNotAuthorised) == 77 &&
              static_cast<int>(ExitCode::kBadConfig) == 78);
static_assert(static_cast<int>(CacheMode::kColdWeights) == 0 && static_cast<int>(CacheMode::kWarm) == 1);
static_assert(static_cast<int>(DType::kFloat32) == 0 && static_cast<int>(DType::kFloat64) == 1 &&
              static_cast<int>(DType::kInt32) == 2 && static_cast<int>(DType::kInt64) == 3 &&
              static_cast<int>(DType::kInt8) == 4 && static_cast<int>(DType::kUInt8) == 5 &&
              static_cast<int>(DType::kBool) == 6);
static_assert(static_cast<int>(Fill::kZeros) == 0 && static_cast<int>(Fill::kOnes) == 1 &&
              static_cast<int>(Fill::kRamp) == 2 && static_cast<int>(Fill::kNormal) == 3 &&
              static_cast<int>(Fill::kUniform) == 4);
static_assert(static_cast<int>(EpilogueClass::kNone) == 0 && static_cast<int>(EpilogueClass::kBiasAct) == 1 &&
              static_cast<int>(EpilogueClass::kResidual) == 2);

TEST(Fate, NamesRoundTrip) {
  for (int i = 0; i <= 11; ++i) EXPECT_EQ(ParseFate(FateName(static_cast<Fate>(i))), static_cast<Fate>(i));
  EXPECT_EQ(FateName(Fate::kCancelled), "Cancelled");
  EXPECT_EQ(FateName(static_cast<Fate>(200)), "unknown");
  EXPECT_THROW(ParseFate("ok"), Error);
}

TEST(CacheMode, NamesRoundTrip) {
  EXPECT_EQ(ParseCacheMode("cold-weights"), CacheMode::kColdWeights);
  EXPECT_EQ(ParseCacheMode(CacheModeName(CacheMode::kWarm)), CacheMode::kWarm);
  EXPECT_THROW(ParseCacheMode("cold"), Error);
}

TEST(Measurement, LeastSampleIsZeroWithoutSamples) {
  Measurement measurement;
  EXPECT_EQ(measurement.MinNs(), 0);
  measurement.samples_ns = {30, 20, 25};
  EXPECT_EQ(measurement.MinNs(), 20);
}

}  // namespace
}  // namespace hone
