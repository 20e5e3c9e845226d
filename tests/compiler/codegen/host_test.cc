#include "compiler/codegen/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& text) {
  try {
    ResolveTarget(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(HostTarget, IsNamedAndRunsHere) {
  const Target host = HostTarget();
  EXPECT_FALSE(host.triple.empty());
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_NE(host.cpu, "native");
  EXPECT_GE(host.num_cores, 1);
  EXPECT_EQ(MissingFeature(host), "");
}

TEST(ResolveTarget, TakesHostAndItsOwnText) {
  EXPECT_EQ(ResolveTarget("host"), HostTarget());
  EXPECT_EQ(ResolveTarget(HostTarget().ToText()), HostTarget());
}

TEST(ResolveTarget, FillsInTheTripleOfThisMachine) {
  EXPECT_EQ(ResolveTarget("llvm -mcpu=" + HostTarget().cpu).triple, HostTarget().triple);
}

TEST(ResolveTarget, NamesTheNearestCpuAndFeature) {
  EXPECT_THAT(Refusal("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a27"), HasSubstr("did you mean cortex-a"));
  EXPECT_THAT(Refusal("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3 -mattr=+avx3"), HasSubstr("did you mean +avx"));
  EXPECT_THAT(Refusal("llvm -mtriple=vax-dec-ultrix -mcpu=11"), HasSubstr("vax-dec-ultrix"));
}

TEST(ImpliedFeatures, ListsWhatAnotherCpuHas) {
  const Target arm = ResolveTarget("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72");
  EXPECT_FALSE(ImpliedFeatures(arm).empty());
}

}  // namespace
}  // namespace hone
