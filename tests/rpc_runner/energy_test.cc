#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc_runner/machine/sensors.h"
#include "tests/rpc_runner/sys_tree.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRapl = "/class/powercap/intel-rapl";

void WriteCounter(const SysTree& sys, const std::string& folder, const std::string& name, const std::string& uj) {
  sys.Write(kRapl + folder + "/name", name);
  sys.Write(kRapl + folder + "/energy_uj", uj);
  sys.Write(kRapl + folder + "/max_energy_range_uj", "262143328850");
}

TEST(EnergyCounter, AddsPackagesAndTheirMemoryButNothingTwice) {
  const SysTree sys;
  WriteCounter(sys, ":0", "package-0", "5000000");
  WriteCounter(sys, ":0:0", "core", "4000000");
  WriteCounter(sys, ":0:1", "dram", "100");
  WriteCounter(sys, ":1", "package-1", "0");
  WriteCounter(sys, ":2", "psys", "0");
  EnergyCounter counter(sys.root());
  EXPECT_THAT(counter.domains(), ElementsAre("package-0", "package-0 dram", "package-1"));
  EXPECT_THAT(counter.why_not(), IsEmpty());
  EXPECT_EQ(counter.Joules(), 0);
  WriteCounter(sys, ":0", "package-0", "9000000");
  WriteCounter(sys, ":0:0", "core", "9000000");
  WriteCounter(sys, ":0:1", "dram", "500100");
  WriteCounter(sys, ":1", "package-1", "2000000");
  WriteCounter(sys, ":2", "psys", "90000000");
  EXPECT_DOUBLE_EQ(counter.Joules(), 6.5);
  EXPECT_DOUBLE_EQ(counter.Joules(), 6.5) << "nothing was spent since";
}

TEST(EnergyCounter, ContinuesWhenTheHardwareCounterWraps) {
  const SysTree sys;
  WriteCounter(sys, ":0", "package-0", "262143000000");
  EnergyCounter counter(sys.root());
  WriteCounter(sys, ":0", "package-0", "671150");
  EXPECT_DOUBLE_EQ(counter.Joules(), 1);
}

TEST(EnergyCounter, SaysWhyThereIsNone) {
  const SysTree sys;
  EnergyCounter none(sys.root());
  EXPECT_THAT(none.domains(), IsEmpty());
  EXPECT_THAT(none.why_not(), HasSubstr("no RAPL counters in " + sys.root()));
  EXPECT_EQ(none.Joules(), 0);
  sys.Write(std::string(kRapl) + ":0/name", "package-0");
  EXPECT_THAT(EnergyCounter(sys.root()).why_not(), HasSubstr("intel-rapl:0/energy_uj may be read by root alone"));
  sys.Write(std::string(kRapl) + ":0/energy_uj", "no number");
  EXPECT_THAT(EnergyCounter(sys.root()).domains(), IsEmpty());
}

}  // namespace
}  // namespace hone
