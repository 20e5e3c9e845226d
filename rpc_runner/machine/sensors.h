// The machine's present temperature and clock.
#pragma once

#include <string>
#include <vector>

namespace hone {

// The highest cpufreq clock of `cpus` in MHz; 0 if there is none. `root` is "/sys".
int ClockMhz(const std::vector<int>& cpus, const std::string& root = "/sys");

// The temperature of the hottest thermal zone or hardware monitor, in degrees Celsius; 0 if there is none. Sensors that
// report less than -50 or more than 200 are broken and ignored.
double HottestCelsius(const std::string& root = "/sys");

}  // namespace hone
