// What machine this is.
#pragma once

#include "core/measurement.h"

namespace hone {

// Reads /proc, /sys and uname; never fails, leaves what it cannot read empty.
Environment ProbeEnvironment();

}  // namespace hone
