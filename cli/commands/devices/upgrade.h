// `hone devices upgrade`: replaces the program of runners by another, signed by a key that they trust.
#pragma once

#include "cli/command.h"

namespace hone {

int DevicesUpgradeCommand(const Arguments& arguments);

}  // namespace hone
