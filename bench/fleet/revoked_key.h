// How soon a tracker puts out whom it no longer admits.
#pragma once

#include <string>

#include "bench/fleet/fleet_keys.h"

namespace hone::bench {

// Admits a viewer of this name, takes its key back while it is connected, and waits until its connection is closed and
// it is refused another one. Throws Error(kNoRunner) when that takes a minute.
double SecondsToClose(const std::string& tracker, const FleetKeys& keys, const std::string& name);

}  // namespace hone::bench
