#include "rpc_runner/health/golden_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "core/error.h"
#include "rpc_runner/health/roofs.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/clock.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

std::vector<VectorKernels> KernelsOfThisCpu() {
  std::vector<VectorKernels> kernels;
  const std::string features = " " + ProbeEnvironment().features + " ";
  for (const char* wanted : {"", "avx2 fma", "avx512f"}) {
    const bool has_all = features.find(" avx512f ") != std::string::npos || std::string_view(wanted) != "avx512f";
    const bool has_avx2 = features.find(" avx2 ") != std::string::npos || std::string_view(wanted).empty();
    if (has_all && has_avx2) kernels.push_back(KernelsFor(wanted));
  }
  return kernels;
}

TEST(VectorKernels, MultiplyAndAddAsOftenAsTheySay) {
  for (const VectorKernels& kernels : KernelsOfThisCpu()) {
    const auto count = static_cast<size_t>(kernels.chains * kernels.lanes);
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = 0.25F + 0.5F * static_cast<float>(i) / static_cast<float>(count);
    std::vector<double> wanted(values.begin(), values.end());
    for (size_t i = 0; i < count; ++i) {
      const double factor = values[i % static_cast<size_t>(kernels.lanes)];
      for (int n = 0; n < 3 * VectorKernels::kMultiplyAdds; ++n) wanted[i] = wanted[i] * factor + factor;
    }
    kernels.multiply_add(3, values.data());
    for (size_t i = 0; i < count; ++i) ASSERT_NEAR(values[i], wanted[i], 1e-5) << kernels.name << " at " << i;
    EXPECT_EQ(kernels.flops_per_trip(), 8 * static_cast<int64_t>(count));
  }
}

TEST(VectorKernels, ReadEveryFloatOnce) {
  std::vector<float> data(static_cast<size_t>(4 * VectorKernels::kReadStep));
  std::iota(data.begin(), data.end(), 0.0F);
  const auto n = static_cast<float>(data.size());
  for (const VectorKernels& kernels : KernelsOfThisCpu()) {
    EXPECT_EQ(kernels.read(data.data(), static_cast<int64_t>(data.size())), n * (n - 1) / 2) << kernels.name;
  }
}

#if defined(__x86_64__)
TEST(VectorKernels, AreTheWidestThatTheCpuRuns) {
  EXPECT_EQ(KernelsFor("avx avx2 avx512f fma").name, "avx512");
  EXPECT_EQ(KernelsFor("avx avx2 fma").name, "avx2");
  EXPECT_EQ(KernelsFor("avx avx2").name, "sse");
  EXPECT_EQ(KernelsFor("avx512fx").name, "sse");
}
#endif

TEST(CacheSizes, AreReadFromTheEnvironmentsText) {
  EXPECT_EQ(ParseCaches("32K,512K,32M").second_bytes, 512 << 10);
  EXPECT_EQ(ParseCaches("32K,512K,32M").last_bytes, 32 << 20);
  EXPECT_EQ(ParseCaches("64K,1M").last_bytes, 1 << 20);
  for (const char* text : {"", ",", "x,y", "32K", "-1K,-5M", "99999999999M"}) {
    EXPECT_EQ(ParseCaches(text).second_bytes, CacheSizes().second_bytes) << text;
    EXPECT_GE(ParseCaches(text).last_bytes, CacheSizes().last_bytes) << text;
  }
}

TEST(GoldenKernel, TakesTheTimeThatItsClockTells) {
  const VectorKernels kernels = KernelsFor("");
  int64_t ticks = 0;
  GoldenKernel golden(kernels, CacheSizes(), {{"", {}}}, [&ticks] { return ticks += 500; });
  EXPECT_EQ(golden.Run(), (std::vector<int64_t>{500, 500, 500}));
  EXPECT_EQ(golden.name(), fmt::format("1-{}-64K-40M", kernels.name));
}

TEST(GoldenKernel, HasThreePartsOfEachKindOfCore) {
  const std::vector<int> cpus = AffinityCpus();
  GoldenKernel golden(KernelsFor(""), CacheSizes(), {{"atom", cpus}, {"core", cpus}}, MonotonicNs);
  ASSERT_EQ(golden.parts().size(), 6u);
  EXPECT_EQ(golden.parts()[3].name, "core arithmetic");
  EXPECT_TRUE(golden.parts()[3].steady);
  EXPECT_FALSE(golden.parts()[5].steady);
  for (int64_t time : golden.Run()) EXPECT_GT(time, 1000);
}

TEST(RunOn, UsesThatCoreAloneAndThrowsWhatTheWorkThrows) {
  const std::vector<int> cpus = AffinityCpus();
  std::vector<int> inside;
  RunOn({cpus.back()}, [&] { inside = AffinityCpus(); });
  EXPECT_EQ(inside, std::vector<int>{cpus.back()});
  EXPECT_EQ(AffinityCpus(), cpus);
  EXPECT_THROW(RunOn({}, [] { throw std::runtime_error("x"); }), std::runtime_error);
}

TEST(Roofs, AreMeasuredForOneThreadAndForAll) {
  const std::vector<int> cpus = AffinityCpus();
  const std::vector<Roof> roofs = MeasureRoofs(KernelsFor(""), CacheSizes(), {{"", cpus}}, 2);
  ASSERT_EQ(roofs.size(), cpus.size() > 1 ? 2u : 1u);
  for (const Roof& roof : roofs) {
    EXPECT_GT(roof.gflops, 0.01);
    EXPECT_GT(roof.read_gbps, 0.01);
  }
  EXPECT_EQ(RoofsFromJson(ToJson(roofs)), roofs);
}

TEST(Roofs, AreShownInOneLine) {
  EXPECT_EQ(RoofsText({{"", 1, 103.66, 19.84}, {"", 2, 206.2, 35.8}}),
            "103.7 GFLOP/s, 19.8 GB/s; 2 threads 206.2 GFLOP/s, 35.8 GB/s");
  EXPECT_EQ(RoofsText({{"atom", 1, 50, 9}}), "atom 50.0 GFLOP/s, 9.0 GB/s");
  EXPECT_EQ(RoofsText({}), "");
}

TEST(Roofs, RefuseWhatAreNone) {
  EXPECT_THROW(RoofsFromJson(Json::object()), Error);
  EXPECT_THROW(RoofsFromJson(Json::array({7})), Error);
  EXPECT_THROW(RoofsFromJson(Json(std::vector<int>(65))), Error);
}

}  // namespace
}  // namespace hone
