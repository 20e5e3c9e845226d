#include "rpc_runner/machine_kind.h"

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

TEST(MachineKind, OverlooksWhatSaysNothingOfSpeed) {
  Environment other = SomeMachine();
  other.host = "b";
  other.load = 3;
  other.kernel = "6.1";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "");
}

TEST(MachineKind, NamesTheFirstDifference) {
  Environment other = SomeMachine();
  other.features = "avx2 avx512f fma";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "its CPU features are others");
  other.cores = 8;
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())), "its cores is 8, not 4");
  other.cpu_model = "AMD Ryzen";
  EXPECT_EQ(KindDifference(MachineKind(other), MachineKind(SomeMachine())),
            "its cpu is \"AMD Ryzen\", not \"AMD EPYC\"");
}

TEST(MachineKind, TakesWhateverCameOverTheNetwork) {
  EXPECT_NE(KindDifference(Json::object(), MachineKind(SomeMachine())), "");
  EXPECT_NE(KindDifference({{"features", 7}}, {{"features", "fma"}}), "");
}

}  // namespace
}  // namespace hone
