// `hone run MODEL --node NAME`: one node of a model, alone.
#pragma once

#include "cli/command.h"

namespace hone {

int RunNodeCommand(const Arguments& arguments);

}  // namespace hone
