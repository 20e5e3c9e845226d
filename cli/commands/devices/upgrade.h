// `hone devices upgrade`: runners become another program, signed by whom they trust.
#pragma once

#include "cli/command.h"

namespace hone {

int DevicesUpgradeCommand(const Arguments& arguments);

}  // namespace hone
