// The costs of arithmetic and loads of named CPUs: the table behind MachineModelFor's times, with its sources.
#pragma once

#include <string_view>

#include "core/machine/target.h"

namespace hone {

// Sets the model's times to those of a CPU, by LLVM's name. A row's name sets those of a CPU of which only its row of
// figures is known. Returns false and changes nothing for a name that is not in the table, such as all of x86-64.
// Those have the defaults of core/machine/target.h, fitted on a Zen 5 core.
bool SetCosts(std::string_view name, MachineModel& model);

// The source of a name's figures: a document, or "assumed". Empty for a name that is not in the table.
std::string_view CostsFrom(std::string_view name);

}  // namespace hone
