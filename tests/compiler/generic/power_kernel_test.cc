// Powers and quotients, special values among them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

using relay::MakeCall;

// Each element is compared at its own magnitude, with its sign; a denormal result may be 0.
void ExpectPowers(const relay::FunctionPtr& function, const std::vector<Tensor>& args, float exponent) {
  Random random(7);
  for (const Target& target : TestTargets()) {
    const Tensor got = CompiledFunction(function, target).Run(args, 0, random)[0];
    for (int64_t i = 0; i < got.elements(); ++i) {
      const auto want = static_cast<float>(std::pow(args[0].At(i), static_cast<double>(exponent)));
      SCOPED_TRACE(std::to_string(args[0].At(i)) + " ** " + std::to_string(exponent) + " for " + target.cpu);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got.At(i)));
      } else if (std::isinf(want) || want == 0) {
        EXPECT_EQ(got.At(i), want);
        EXPECT_EQ(std::signbit(got.At(i)), std::signbit(want));
      } else {
        EXPECT_NEAR(got.At(i), want, 1e-5 * std::abs(want) + std::numeric_limits<float>::min());
      }
    }
  }
}

// The results of C's pow for every pair of special values, with a known exponent or not.
TEST(PowerKernel, RaisesSpecialValuesAsCDoes) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{0.0, -0.0, 1, -1, 2, -2, 0.25, -0.25, inf, -inf, nan, 3e38, -3e38, 1e-30};
  const std::vector<double> exponents{0,   1,    2,    3,     4, -1,  -2,  -3,   0.5, -0.5,
                                      1.5, -1.5, 0.25, -0.75, 7, 2.3, inf, -inf, nan};
  const auto count = static_cast<int64_t>(values.size());
  Tensor base(DType::kFloat32, {count}), raised(DType::kFloat32, {count});
  for (int64_t i = 0; i < count; ++i) base.Set(i, values[static_cast<size_t>(i)]);
  for (const double exponent : exponents) {
    const auto x = Param("x", {count}), y = Param("y", {count});
    for (int64_t i = 0; i < count; ++i) raised.Set(i, exponent);
    const auto known = static_cast<float>(exponent);
    ExpectPowers(Function({x, y}, MakeCall("power", {x, y})), {base, raised}, known);
    ExpectPowers(Function({x}, MakeCall("power", {x, relay::MakeConstant(Tensor::Scalar(known))})), {base}, known);
  }
}

TEST(QuotientKernel, DividesIntegersTowardsZero) {
  for (const DType dtype : {DType::kInt32, DType::kInt8, DType::kUInt8, DType::kInt64}) {
    const double most = dtype == DType::kUInt8 ? 255 : dtype == DType::kInt8 ? 127 : 2147483647;
    const double least = dtype == DType::kUInt8 ? 0 : -most - 1;
    std::vector<double> values{least, least + 1, most, most - 1, 1, 2, 3, 7, most / 2, least / 2};
    if (least < 0) values.insert(values.end(), {-1, -2, -3, -7});
    const auto count = static_cast<int64_t>(values.size());
    Tensor x(dtype, {count, count}), y(dtype, {count, count});
    for (int64_t i = 0; i < count * count; ++i) {
      x.Set(i, std::trunc(values[static_cast<size_t>(i / count)]));
      const double divisor = std::trunc(values[static_cast<size_t>(i % count)]);
      y.Set(i, divisor == 0 ? 5 : divisor);
    }
    const auto a = Param("a", {count, count}, "", dtype), b = Param("b", {count, count}, "", dtype);
    CheckFunction(Function({a, b}, MakeCall("divide", {a, b})), {x, y}, 0);
  }
}

}  // namespace
}  // namespace hone::testing
