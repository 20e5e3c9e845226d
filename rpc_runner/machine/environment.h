// What machine this is.
#pragma once

#include <string>
#include <string_view>

#include "core/measurement.h"

namespace hone {

// Environment's cpu_id, from /proc/cpuinfo's text of one core; empty where it does not tell.
std::string CpuIdOf(std::string_view cpuinfo);

// Reads /proc, /sys and uname; never fails, leaves what it cannot read empty.
Environment ProbeEnvironment();

// Clock and temperature as they are now. Reading a sensor may take a millisecond.
void ReadSensors(Environment* environment);

}  // namespace hone
