#include <gtest/gtest.h>

#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

TEST(CpuFeatures, AreLlvmsNamesInOrder) {
  EXPECT_EQ(FeaturesFromFlags("fpu sse4_2 fma avx2 abm avx512_vnni avx"), "avx avx2 avx512vnni fma lzcnt sse4.2");
  EXPECT_EQ(FeaturesFromFlags(""), "");
}

TEST(CpuFeatures, ReadsTheFirstValueOfAName) {
  const char* text = "model\t\t: 2\nmodel name\t: AMD EPYC\nempty\t:\nmodel\t: 3\n";
  EXPECT_EQ(CpuInfoValue(text, "model"), "2");
  EXPECT_EQ(CpuInfoValue(text, "model name"), "AMD EPYC");
  EXPECT_EQ(CpuInfoValue(text, "empty"), "");
  EXPECT_EQ(CpuInfoValue(text, "absent"), "");
}

TEST(Environment, DescribesThisMachine) {
  const Environment environment = ProbeEnvironment();
  EXPECT_GE(environment.cores, 1);
  EXPECT_FALSE(environment.kernel.empty());
  EXPECT_FALSE(environment.hone_version.empty());
}

}  // namespace
}  // namespace hone
