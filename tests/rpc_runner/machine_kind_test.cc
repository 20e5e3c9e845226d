#include "rpc_runner/machine/machine_kind.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Environment SomeMachine() {
  Environment environment;
  environment.host = "a";
  environment.cpu_model = "AMD EPYC";
  environment.cpu_id = "AuthenticAMD-25-1-1";
  environment.features = "avx2 fma";
  environment.cores = 4;
  return environment;
}

TEST(MachineKind, IgnoresFieldsThatDoNotAffectSpeed) {
  Environment other = SomeMachine();
  other.host = "b";
  other.cpu_model = "AMD EPYC 7763";
  other.load = 3;
  other.kernel = "6.1";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "");
}

TEST(MachineKind, TellsKindsOfCoresApart) {
  Environment big = SomeMachine(), little = SomeMachine();
  big.core_kind = "cortex-a72";
  little.core_kind = "cortex-a53";
  EXPECT_NE(KindDifference(MachineKind(big), MachineKind(little)), "");
  EXPECT_NE(KindDifference(MachineKind(big), MachineKind(SomeMachine())), "");
}

TEST(MachineKind, OfACpuThatIsNotToldIsTheHost) {
  Environment one = SomeMachine(), other = SomeMachine();
  one.cpu_id = other.cpu_id = "";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(one)), "");
  other.host = "b";
  EXPECT_NE(KindDifference(MachineKind(other), MachineKind(one)), "");
}

TEST(MachineKind, NamesTheFirstDifference) {
  Environment other = SomeMachine();
  other.features = "avx2 avx512f fma";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "its CPU features are others");
  other.cores = 8;
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "its cores is 8, not 4");
  other.cpu_id = "AuthenticAMD-26-2-1";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())),
            "its cpu_id is \"AuthenticAMD-26-2-1\", not \"AuthenticAMD-25-1-1\"");
}

TEST(MachineKind, TellsDevicesOfOtherSpeedsApart) {
  Environment one = SomeMachine(), other = SomeMachine();
  one.golden_kernel = other.golden_kernel = "1-avx2-128K-64M";
  one.golden_ns = 900'000;
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(one)), "") << "it does not know its own";
  EXPECT_EQ(KindDifference(MachineKind(one), MachineKind(other)), "");
  other.golden_ns = 925'000;
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(one)), "");
  other.golden_ns = 938'000;
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(one)), "golden kernel 4.2 % slower");
  EXPECT_EQ(KindDifference(MachineKind(one), MachineKind(other)), "golden kernel 4.2 % faster");
  other.golden_kernel = "2-avx2-128K-64M";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(one)), "") << "times of another kernel say nothing";
}

TEST(MachineKind, ComparesNoGoldenTimesOfOneBoot) {
  Environment one = SomeMachine(), other = SomeMachine();
  one.golden_kernel = other.golden_kernel = "1-avx2-128K-64M";
  one.golden_ns = 900'000;
  other.golden_ns = 800'000;
  EXPECT_EQ(KindDifference(MachineKind(other, "a"), MachineKind(one, "a")), "") << "a runner that comes back";
  EXPECT_NE(KindDifference(MachineKind(other, "b"), MachineKind(one, "a")), "");
  EXPECT_NE(KindDifference(MachineKind(other, "a"), MachineKind(one)), "");
  EXPECT_NE(KindDifference(MachineKind(other), MachineKind(one)), "") << "two that do not tell are not one";
  other.cores = 8;
  EXPECT_NE(KindDifference(MachineKind(other, "a"), MachineKind(one, "a")), "");
}

TEST(MachineKind, TakesWhateverCameOverTheNetwork) {
  EXPECT_NE(KindDifference(Json::object(), MachineKind(SomeMachine())), "");
  EXPECT_NE(KindDifference({{"features", 7}}, {{"features", "fma"}}), "");
  const Json wanted = {{"golden", {{"kernel", "k"}, {"ns", 5}}}};
  for (const Json& golden : {Json(7), Json::object(), Json({{"kernel", "k"}, {"ns", "x"}}),
                             Json({{"kernel", "k"}, {"ns", -1}}), Json({{"kernel", 5}, {"ns", 50}})}) {
    EXPECT_EQ(KindDifference({{"golden", golden}}, wanted), "") << golden;
    EXPECT_EQ(KindDifference(wanted, {{"golden", golden}}), "") << golden;
  }
}

}  // namespace
}  // namespace hone
