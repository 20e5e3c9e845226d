// Denormals, infinities, NaN and zeros of both signs in kernels. Workers flush denormals to zero in arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::MakeCall;

// Two vectors, as long as the number of pairs, hold every pair of these.
const std::vector<float> kNumbers = {NAN,    INFINITY, -INFINITY, 0.0F,  -0.0F, 1e-40F, -1e-40F,
                                     2e-40F, 1.2e-38F, -1.2e-38F, 1,     -1,    1.5F,   -1.5F,
                                     3e38F,  -3e38F,   3e9F,      -3e9F, 200,   1e19F};

Tensor Numbers(int64_t repeat_each) {
  const auto count = static_cast<int64_t>(kNumbers.size());
  Tensor tensor(DType::kFloat32, {count * count});
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.data<float>()[i] = kNumbers[static_cast<size_t>(i / repeat_each % count)];
  return tensor;
}

const Tensor kFirst = Numbers(1), kSecond = Numbers(static_cast<int64_t>(kNumbers.size()));

relay::ExprPtr Number(float value) { return relay::MakeConstant(Tensor::Scalar(value)); }

TEST(SpecialValuesKernel, ComparesThemAsTheNumbersThatTheyAre) {
  const auto x = Param("x", kFirst.shape()), y = Param("y", kFirst.shape());
  for (const char* op : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}) {
    CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {kFirst, kSecond});
    for (const float bound : {0.0F, -0.0F, 1e-40F, 1.5F, -INFINITY, NAN}) {
      CheckFunction(Function({x}, MakeCall(op, {x, Number(bound)})), {kFirst});
      CheckFunction(Function({x}, MakeCall(op, {Number(bound), x})), {kFirst});
    }
  }
}

TEST(SpecialValuesKernel, ConvertsAsTensorsDo) {
  const auto x = Param("x", kFirst.shape());
  for (const char* dtype : {"bool", "int8", "uint8", "int32", "int64"}) {
    CheckFunction(Function({x}, MakeCall("cast", {x}, {{"dtype", std::string(dtype)}})), {kFirst});
  }
}

TEST(SpecialValuesKernel, HasTheirSignsAndTheirNeighbours) {
  const auto x = Param("x", kFirst.shape());
  for (const char* op : {"sign", "ceil", "floor"}) CheckFunction(Function({x}, MakeCall(op, {x})), {kFirst}, 0);
}

// Replaces denormals, which arithmetic flushes to zero, and tiny numbers, whose remainders are denormals.
Tensor Normal(Tensor numbers) {
  for (int64_t i = 0; i < numbers.elements(); ++i) {
    float& number = numbers.data<float>()[i];
    if (std::fabs(number) < 1e-30F) number = 0;
  }
  return numbers;
}

TEST(SpecialValuesKernel, RaisesToPowersAsCDoes) {
  const auto x = Param("x", kFirst.shape()), y = Param("y", kFirst.shape());
  Tensor exponents = Normal(kSecond.Clone());
  for (int64_t i = 0; i < exponents.elements(); ++i) {
    // A power of 200 may overflow float32 or not, depending on its last places.
    if (std::fabs(exponents.At(i)) == 200) exponents.Set(i, 3);
  }
  CheckFunction(Function({x, y}, MakeCall("power", {x, y})), {Normal(kFirst.Clone()), exponents}, 1e-5);
  for (const float exponent : {-3.0F, -1.0F, 1.0F, 2.0F, 1.5F, 0.5F, 0.3F}) {
    CheckFunction(Function({x}, MakeCall("power", {x, Number(exponent)})), {Normal(kFirst.Clone())}, 1e-5);
  }
}

TEST(SpecialValuesKernel, LeavesTheRestOfAnyQuotient) {
  const auto x = Param("x", kFirst.shape()), y = Param("y", kFirst.shape());
  for (const char* op : {"mod", "floor_mod"}) {
    CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {Normal(kFirst.Clone()), Normal(kSecond.Clone())}, 0);
  }
}

}  // namespace
}  // namespace hone::testing
