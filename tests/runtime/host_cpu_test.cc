#include "runtime/host_cpu.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(HostCpu, NamesTheArchitecture) {
#if defined(__x86_64__)
  EXPECT_EQ(HostArchitecture(), "x86_64");
  EXPECT_TRUE(HostHasFeature("sse2"));
#elif defined(__aarch64__)
  EXPECT_EQ(HostArchitecture(), "aarch64");
#elif defined(__arm__)
  EXPECT_EQ(HostArchitecture(), "armv7");
#endif
}

TEST(HostCpu, AnUnknownFeatureIsMissing) {
  EXPECT_FALSE(HostHasFeature("no-such-feature"));
  EXPECT_EQ(FirstMissingFeature({"no-such-feature"}), "no-such-feature");
}

TEST(HostCpu, NothingRequiredIsNothingMissing) { EXPECT_EQ(FirstMissingFeature({}), ""); }

}  // namespace
}  // namespace hone
