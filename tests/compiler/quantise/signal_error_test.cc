#include "compiler/quantise/signal_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

TEST(SignalError, IsThatOfAllThatWasCompared) {
  SignalError error;
  error.Add(Floats({3, 4}), Floats({3, 5}));
  error.Add(Floats({0}), Floats({-10}));
  EXPECT_NEAR(error.sqnr_db(), 10 * std::log10(134.0 / 101), 1e-9);
  EXPECT_NEAR(error.cosine(), 29 / std::sqrt(25.0 * 134), 1e-9);
  EXPECT_NEAR(error.largest(), 1, 1e-9);
}

TEST(SignalError, OfEqualSignalsIsZero) {
  SignalError error;
  error.Add(Floats({1, -2}), Floats({1, -2}));
  EXPECT_EQ(error.sqnr_db(), SignalError::kExact);
  EXPECT_NEAR(error.cosine(), 1, 1e-12);
  EXPECT_EQ(error.largest(), 0);
  SignalError silence;
  silence.Add(Floats({0, 0}), Floats({0, 0}));
  EXPECT_EQ(silence.sqnr_db(), SignalError::kExact);
  EXPECT_EQ(silence.cosine(), 1);
}

TEST(SignalError, OfWhatIsNotFiniteIsInfinite) {
  SignalError error;
  error.Add(Floats({std::nanf(""), 1}), Floats({1, 1}));
  EXPECT_TRUE(std::isinf(error.largest()));
  EXPECT_EQ(error.sqnr_db(), -SignalError::kExact);
  EXPECT_EQ(error.cosine(), 0);
}

}  // namespace
}  // namespace hone
