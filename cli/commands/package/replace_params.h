// `hone package replace-params` and `open-params`: the same code with other parameters, at once or at load time.
#pragma once

#include "cli/command.h"

namespace hone {

int ReplaceParamsCommand(const Arguments& arguments);
int OpenParamsCommand(const Arguments& arguments);

}  // namespace hone
