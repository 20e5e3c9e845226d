// How hot and how fast the machine is just now.
#pragma once

#include <string>
#include <vector>

namespace hone {

// The highest of the clocks that cpufreq says of `cpus`, in MHz; 0 where it says none. `root` is "/sys".
int ClockMhz(const std::vector<int>& cpus, const std::string& root = "/sys");

// Of the hottest sensor among the thermal zones and the hardware monitors, in degrees Celsius; 0 where there is none.
// Sensors that say less than -50 or more than 200 are broken and passed over.
double HottestCelsius(const std::string& root = "/sys");

}  // namespace hone
