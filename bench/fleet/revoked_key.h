// Measures how soon a tracker disconnects a revoked key.
#pragma once

#include <string>

#include "bench/fleet/fleet_keys.h"

namespace hone::bench {

// Admits a viewer of this name and revokes its key while it is connected. Returns the seconds until its connection is
// closed and another one is refused. Throws Error(kNoRunner) if that takes a minute.
double SecondsToClose(const std::string& tracker, const FleetKeys& keys, const std::string& name);

}  // namespace hone::bench
