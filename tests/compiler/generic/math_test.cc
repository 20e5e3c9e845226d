// The polynomial functions against libm in double precision.
#include "compiler/codegen/math/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/codegen/math/rounding.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone {

// Prints the parameter's name in the list of tests.
void PrintTo(const Target& target, std::ostream* out) { *out << target.ToText(); }

}  // namespace hone

namespace hone::testing {
namespace {

using Emit = std::function<Value*(KernelBuilder&, Value*)>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Applies the emitted function to every element in vectors of `lanes`, padding the input to whole vectors.
std::vector<float> Apply(const Emit& emit, std::vector<float> x, int lanes, const Target& target) {
  const size_t count = x.size();
  x.resize((count + static_cast<size_t>(lanes) - 1) / static_cast<size_t>(lanes) * static_cast<size_t>(lanes));
  std::vector<float> y(x.size());
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage("f", [&](const StageArgs& args) {
    Value *from = b.Operand(args, 0), *to = b.Operand(args, 1);
    b.For(0, static_cast<int64_t>(x.size()), lanes,
          [&](Value* i) { b.Store(emit(b, b.Load(b.At(from, b.Mul(i, 4)), lanes)), b.At(to, b.Mul(i, 4))); });
  });
  const LoadedKernel kernel(LinkShared({EmitObject(b, target)}, target));
  void* operands[] = {x.data(), y.data()};
  const hone_kernel_args args{operands, nullptr, nullptr, nullptr, 0, 1};
  EXPECT_EQ(kernel.Find("f")(&args, 0, 1), 0);
  y.resize(count);
  return y;
}

// Distance in units in the last place of the exact value.
double UlpError(float got, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : kInf;
  const double least = std::numeric_limits<float>::min();
  if (std::abs(exact) < least) return std::abs(got) <= least ? 0 : kInf;  // subnormal results may be flushed
  const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
  return std::abs(static_cast<double>(got) - exact) / ulp;
}

std::vector<float> Inputs(double low, double high, int count) {
  std::vector<float> x;
  for (int i = 0; i <= count; ++i) x.push_back(static_cast<float>(low + (high - low) * i / count));
  for (float tiny : {0.0f, 1e-30f, -1e-30f, 1e-8f, -1e-8f, 1e-3f, -1e-3f, 1e-42f, -1e-42f}) x.push_back(tiny);
  return x;
}

double WorstError(const Emit& emit, double (*exact)(double), const std::vector<float>& x, int lanes,
                  const Target& target) {
  const auto y = Apply(emit, x, lanes, target);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, UlpError(y[i], exact(static_cast<double>(x[i]))));
  return worst;
}

class Math : public ::testing::TestWithParam<Target> {};

TEST_P(Math, ExpIsWithinTwoUlp) {
  EXPECT_LE(WorstError(EmitExp, [](double x) { return std::exp(x); }, Inputs(-100, 100, 200000), 16, GetParam()), 2);
}

// The last argument before overflow, where the scale 2^128 exceeds float32, and the last with a normal result.
TEST_P(Math, ExpEndsWhereFloatsDo) {
  const float last = 88.7228317F, least = -87.3365F;
  const auto got =
      Apply(EmitExp, {last, std::nextafter(last, kInf), least, std::nextafter(least, -kInf)}, 4, GetParam());
  EXPECT_LE(UlpError(got[0], std::exp(static_cast<double>(last))), 2);
  EXPECT_EQ(got[1], kInf);
  EXPECT_LE(UlpError(got[2], std::exp(static_cast<double>(least))), 2);
  EXPECT_EQ(got[3], 0);
}

// Vectors of 16 may be scaled by an instruction of their own.
TEST_P(Math, ExpHasTheSameBitsInVectorsOfAnyLength) {
  std::vector<float> x = Inputs(-110, 110, 300000);
  for (const float end : {88.7228317F, -87.3365F, 89.0F, -88.0F, 3e38F}) {
    for (const float v : {end, -end, std::nextafter(end, kInf), std::nextafter(end, -kInf)}) x.push_back(v);
  }
  x.insert(x.end(), {kInf, -kInf});
  const auto narrow = Apply(EmitExp, x, 4, GetParam());
  for (const int lanes : {16, 64}) {
    const auto wide = Apply(EmitExp, x, lanes, GetParam());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(narrow[i])) << x[i] << " of " << lanes;
    }
  }
  EXPECT_TRUE(std::isnan(Apply(EmitExp, {kNan}, 16, GetParam())[0]));
}

TEST_P(Math, LogIsWithinTwoUlp) {
  const auto exact = [](double x) { return x == 0 ? -HUGE_VAL : std::log(x); };
  auto x = Inputs(0.25, 4, 100000);
  for (double e = -37; e < 38; e += 0.01) x.push_back(static_cast<float>(std::pow(10, e)));
  for (float& v : x) v = std::abs(v) < std::numeric_limits<float>::min() ? 1.0f : std::abs(v);
  EXPECT_LE(WorstError(EmitLog, exact, x, 8, GetParam()), 2);
}

TEST_P(Math, TanhIsWithinThreeUlp) {
  for (const float end : {12.0f, 1.0f, 1e-3f}) {
    const auto x = Inputs(-end, end, 200000);
    EXPECT_LE(WorstError(EmitTanh, [](double v) { return std::tanh(v); }, x, 8, GetParam()), 3) << end;
  }
}

TEST_P(Math, ErfIsWithinTwoUlp) {
  EXPECT_LE(WorstError(EmitErf, [](double x) { return std::erf(x); }, Inputs(-6, 6, 200000), 8, GetParam()), 2);
}

TEST_P(Math, SigmoidIsWithinThreeUlp) {
  const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(WorstError(EmitSigmoid, exact, Inputs(-87, 100, 200000), 8, GetParam()), 3);
  EXPECT_LE(WorstError(EmitSigmoid, exact, Inputs(-2, 2, 200000), 8, GetParam()), 3);
}

TEST_P(Math, SiluIsWithinThreeUlp) {
  const auto exact = [](double x) { return x / (1 + std::exp(-x)); };
  EXPECT_LE(WorstError(EmitSilu, exact, Inputs(-82, 100, 200000), 8, GetParam()), 3);
}

TEST_P(Math, GeluIsNearAndExactAtItsEnds) {
  const auto x = Inputs(-12, 12, 100000);
  const auto got = Apply(EmitGelu, x, 8, GetParam());
  for (size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], exact = 0.5 * v * (1 + std::erf(v * std::sqrt(0.5)));
    ASSERT_NEAR(got[i], exact, 5e-7 * std::abs(v)) << v;
    if (std::abs(v) > 5.5) {
      ASSERT_EQ(got[i], std::max(0.0, v)) << v;
    }
  }
}

TEST_P(Math, QuarterPowersAreWithinTwoUlp) {
  for (float y : {0.75f, -0.75f, 0.5f, -0.5f, 1.0f, 2.0f}) {
    const auto x = Inputs(0.1, 50, 20000);
    const auto got = Apply([&](KernelBuilder& b, Value* v) { return EmitPow(b, v, y); }, x, 8, GetParam());
    for (size_t i = 0; i <= 20000; ++i) ASSERT_LE(UlpError(got[i], std::pow(static_cast<double>(x[i]), y)), 2) << x[i];
  }
}

TEST_P(Math, OtherPowersAreNear) {
  const std::vector<float> x{0.5f, 1.0f, 3.0f, 17.0f};
  const auto got = Apply([](KernelBuilder& b, Value* v) { return EmitPow(b, v, 1.3f); }, x, 4, GetParam());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(got[i] / std::pow(static_cast<double>(x[i]), 1.3f), 1, 1e-6);
}

TEST_P(Math, ExpAndLogNearZeroKeepTheirBits) {
  const auto expm1 = [](double x) { return std::expm1(x); };
  const auto log1p = [](double x) { return std::log1p(x); };
  std::vector<float> x = Inputs(-20, 88, 200000), y = Inputs(-0.999, 3, 100000);
  for (double e = -20; e < 0; e += 0.003) {
    for (double sign : {-1, 1}) x.push_back(static_cast<float>(sign * std::pow(10, e)));
  }
  y.insert(y.end(), x.end() - 10000, x.end());
  EXPECT_LE(WorstError(EmitExpm1, expm1, x, 8, GetParam()), 4);
  EXPECT_LE(WorstError(EmitLog1p, log1p, y, 8, GetParam()), 4);
}

TEST_P(Math, MishIsWithinFourUlp) {
  const auto exact = [](double x) { return x * std::tanh(std::log1p(std::exp(x))); };
  EXPECT_LE(WorstError(EmitMish, exact, Inputs(-82, 100, 200000), 8, GetParam()), 4);
}

// Near multiples of pi/2 the reduced argument is small, so this tests the reduction.
std::vector<float> Angles() {
  std::vector<float> x = Inputs(-10, 10, 100000);
  for (int quadrant = 1; quadrant < 1000000; quadrant += quadrant < 70000 ? 7 : 977) {
    const auto near = static_cast<float>(quadrant * std::acos(0.0));
    for (float v : {near, std::nextafter(near, kInf), -near, near + 0.7f}) x.push_back(v);
  }
  for (float v = 1.6e6F; v < 6.7e9F; v *= 1.00037F) {
    for (float w : {v, -v}) x.push_back(w);
  }
  return x;
}

TEST_P(Math, SineAndCosineAreWithinTwoUlp) {
  EXPECT_LE(WorstError(EmitSin, [](double x) { return std::sin(x); }, Angles(), 8, GetParam()), 2);
  EXPECT_LE(WorstError(EmitCos, [](double x) { return std::cos(x); }, Angles(), 8, GetParam()), 2);
  for (const Emit& emit : {Emit(EmitSin), Emit(EmitCos)}) {
    const auto got = Apply(emit, {kInf, kNan, 1e30f, -3e38f, 1e9f}, 1, GetParam());
    EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
    for (size_t i = 2; i < got.size(); ++i) EXPECT_LE(std::abs(got[i]), 1) << i;
  }
}

TEST_P(Math, ArcTangentIsWithinTwoUlp) {
  auto x = Inputs(-4, 4, 200000);
  for (float v : {1e6f, -1e20f, kInf, -kInf, kNan}) x.push_back(v);
  EXPECT_LE(WorstError(EmitAtan, [](double v) { return std::atan(v); }, x, 8, GetParam()), 2);
}

TEST_P(Math, RoundingIsExact) {
  std::vector<float> x{0.0f, -0.0f, 0.49999997f, -0.49999997f, 8388607.5f, 8388608.0f, -8388609.0f, 3e9f, -1e30f};
  for (float v = -6; v <= 6; v += 0.25f) x.push_back(v);
  for (float v : {1.0f, 2.0f, 4194303.0f}) {
    for (float side : {-kInf, kInf}) x.push_back(std::nextafter(v, side));
  }
  for (float v : {kInf, -kInf}) x.push_back(v);
  struct Case {
    Emit emit;
    float (*exact)(float);
  };
  for (const Case& c : {Case{EmitFloor, std::floor}, Case{EmitCeil, std::ceil}, Case{EmitTrunc, std::trunc},
                        Case{EmitRound, std::nearbyint}}) {
    const auto got = Apply(c.emit, x, 8, GetParam());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got[i], c.exact(x[i])) << x[i];
    EXPECT_TRUE(std::isnan(Apply(c.emit, {kNan}, 1, GetParam())[0]));
  }
}

TEST_P(Math, NanStaysAndInfinitiesSaturate) {
  const std::vector<float> x{kNan, kInf, -kInf, 1e30f, -1e30f};
  const auto check = [&](const Emit& emit, std::vector<float> want) {
    const auto got = Apply(emit, x, 1, GetParam());
    EXPECT_TRUE(std::isnan(got[0]));
    for (size_t i = 1; i < x.size(); ++i) EXPECT_EQ(got[i], want[i - 1]) << x[i];
  };
  check(EmitExp, {kInf, 0, kInf, 0});
  check(EmitTanh, {1, -1, 1, -1});
  check(EmitErf, {1, -1, 1, -1});
  check(EmitSigmoid, {1, 0, 1, 0});
  check(EmitSilu, {kInf, 0, 1e30f, 0});
  check(EmitGelu, {kInf, 0, 1e30f, 0});
  check(EmitMish, {kInf, 0, 1e30f, 0});
  check(EmitExpm1, {kInf, -1, kInf, -1});
}

TEST_P(Math, LogOfZeroAndBelow) {
  const auto got = Apply(EmitLog, {0.0f, -1.0f, kInf, kNan}, 4, GetParam());
  EXPECT_EQ(got[0], -kInf);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(got[2], kInf);
  EXPECT_TRUE(std::isnan(got[3]));
}

INSTANTIATE_TEST_SUITE_P(Targets, Math, ::testing::ValuesIn(TestTargets()));

}  // namespace
}  // namespace hone::testing
