// The description of this machine.
#pragma once

#include <string>
#include <string_view>

#include "core/measurement.h"

namespace hone {

// Environment's cpu_id, from /proc/cpuinfo's text about one core; empty if it does not tell.
std::string CpuIdOf(std::string_view cpuinfo);

// Reads /proc, /sys and uname. Never fails: unreadable fields stay empty.
Environment ProbeEnvironment();

// Updates clock and temperature. Reading a sensor may take a millisecond.
void ReadSensors(Environment* environment);

}  // namespace hone
