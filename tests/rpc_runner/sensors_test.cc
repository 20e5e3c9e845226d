#include "rpc_runner/machine/sensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/rpc_runner/sys_tree.h"

namespace hone {
namespace {

TEST(Sensors, TellTheHighestClockOfTheseCores) {
  const SysTree sys;
  sys.Write("/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000");
  sys.Write("/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3394123");
  sys.Write("/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "5000000");
  EXPECT_EQ(ClockMhz({0, 1}, sys.root()), 3394);
  EXPECT_EQ(ClockMhz({7}, sys.root()), 0);
}

TEST(Sensors, ReportTheHottestWorkingSensor) {
  const SysTree sys;
  EXPECT_EQ(HottestCelsius(sys.root()), 0);
  sys.Write("/class/thermal/thermal_zone0/temp", "41500");
  sys.Write("/class/thermal/thermal_zone1/temp", "-274000");
  sys.Write("/class/thermal/thermal_zone2/temp", "none");
  sys.Write("/class/thermal/cooling_device0/max_state", "99000");
  EXPECT_EQ(HottestCelsius(sys.root()), 41.5);
  sys.Write("/class/hwmon/hwmon0/temp1_input", "63000");
  sys.Write("/class/hwmon/hwmon0/temp1_crit", "105000");
  sys.Write("/class/hwmon/hwmon0/temp2_input", "255000");
  EXPECT_EQ(HottestCelsius(sys.root()), 63);
}

TEST(Steal, IsOfTheseCoresAlone) {
  constexpr std::string_view kStat =
      "cpu  100 1 20 300 4 0 5 70 11 0\ncpu0 60 1 10 100 2 0 5 10 11 0\ncpu1 40 0 10 200 2 0 0 60 0 0\n"
      "cpu10 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
  EXPECT_EQ(TicksOf(kStat, {}), (CpuTicks{70, 500, 304}));
  EXPECT_EQ(TicksOf(kStat, {1}), (CpuTicks{60, 312, 202}));
  EXPECT_EQ(TicksOf(kStat, {0, 1}), (CpuTicks{70, 500, 304}));
  EXPECT_EQ(TicksOf("nonsense", {}), CpuTicks());
}

TEST(Steal, IsAShareOfTheTimeBetween) {
  EXPECT_DOUBLE_EQ(StealShare({10, 1000}, {20, 1100}), 0.1);
  EXPECT_EQ(StealShare({10, 1000}, {10, 1000}), 0);
  EXPECT_EQ(StealShare({10, 1000}, {5, 1100}), 0) << "a system that counts backwards";
}

TEST(BusyCpus, AreThoseThatProgramsUsed) {
  EXPECT_DOUBLE_EQ(BusyCpus({10, 1000, 500}, {20, 1100, 540}, 2), 1) << "half of the time of two";
  EXPECT_EQ(BusyCpus({10, 1000, 500}, {10, 1000, 500}, 2), 0);
  EXPECT_EQ(BusyCpus({10, 1000, 500}, {10, 1100, 700}, 2), 0);
}

}  // namespace
}  // namespace hone
