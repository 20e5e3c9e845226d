// `hone run MODEL --node NAME`: runs one node of a model by itself.
#pragma once

#include "cli/command.h"

namespace hone {

int RunNodeCommand(const Arguments& arguments);

}  // namespace hone
