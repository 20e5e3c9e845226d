// `hone package replace-params`: the same code with other parameters.
#pragma once

#include "cli/command.h"

namespace hone {

int ReplaceParamsCommand(const Arguments& arguments);

}  // namespace hone
