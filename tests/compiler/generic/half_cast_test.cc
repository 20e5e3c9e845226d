// float16 in kernels: every half, and floats next to halves, converted as in core/small_floats.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "core/small_floats.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

// Expects a cast to give the same bits on every target; all NaNs count as equal.
void ExpectCasts(const Tensor& from, const Tensor& want) {
  const auto x = Param("x", from.shape(), "", from.dtype());
  const auto cast = relay::MakeCall("cast", {x}, {{"dtype", std::string(DTypeName(want.dtype()))}});
  const relay::FunctionPtr function = Function({x}, cast);
  for (const Target& target : TestTargets()) {
    SCOPED_TRACE(target.cpu);
    Random random(1);
    const Tensor got = CompiledFunction(function, target).Run({from}, 0, random)[0];
    ASSERT_EQ(got.elements(), want.elements());
    for (int64_t i = 0; i < want.elements(); ++i) {
      if (std::isnan(want.At(i))) {
        ASSERT_TRUE(std::isnan(got.At(i))) << i;
      } else {
        ASSERT_EQ(got.At(i), want.At(i)) << "of " << from.At(i);
        ASSERT_EQ(std::signbit(got.At(i)), std::signbit(want.At(i))) << i;
      }
    }
  }
}

TEST(HalfCast, EveryHalfIsAFloat) {
  Tensor halves(DType::kFloat16, {1 << 16}), floats(DType::kFloat32, {1 << 16});
  for (int i = 0; i < 1 << 16; ++i) {
    halves.data<Float16>()[i] = Float16::FromBits(static_cast<uint16_t>(i));
    floats.data<float>()[i] = static_cast<float>(halves.data<Float16>()[i]);
  }
  ExpectCasts(halves, floats);
}

// Each half, the midpoint to the next half, and their neighbours on both sides.
TEST(HalfCast, FloatsAreRoundedToTheNearestHalf) {
  std::vector<float> values = {INFINITY, NAN, 65519, 65520, 1e30F, 0x1p-25F, 0x1.000002p-25F, 0x1p-26F};
  for (int i = 0; i < 0x7c00; ++i) {
    const auto half = static_cast<float>(Float16::FromBits(static_cast<uint16_t>(i)));
    const auto next = static_cast<float>(Float16::FromBits(static_cast<uint16_t>(i + 1)));
    const float between = std::isinf(next) ? half : half + (next - half) / 2;
    for (const float v : {half, between}) {
      // Neighbours of zero are left out, because kernels flush float32's denormals to zero.
      for (const int step : {-1, 0, 1}) {
        const float near = std::bit_cast<float>(std::bit_cast<int32_t>(v) + (v == 0 ? 0 : step));
        values.push_back(near);
        values.push_back(-near);
      }
    }
  }
  const auto n = static_cast<int64_t>(values.size());
  const Tensor floats = Tensor::FromVector(DType::kFloat32, {n}, values);
  Tensor halves(DType::kFloat16, {n});
  for (int64_t i = 0; i < n; ++i) halves.data<Float16>()[i] = Float16(values[static_cast<size_t>(i)]);
  ExpectCasts(floats, halves);
}

}  // namespace
}  // namespace hone::testing
