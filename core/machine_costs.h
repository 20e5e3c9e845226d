// What the arithmetic and the loads of named CPUs cost: the table behind MachineModelFor's times, with its sources.
#pragma once

#include <string_view>

#include "core/target.h"

namespace hone {

// Sets the model's times to those of a CPU, by LLVM's name, or of what is known of no more than its row of figures, by
// the row's name. A name that is not in the table, as all of x86-64, changes nothing and is false: those have the
// defaults of core/target.h, fitted on a Zen 5 core.
bool SetCosts(std::string_view name, MachineModel& model);

// Where those of a name are from: a document, or "assumed". Empty for a name that is not in the table.
std::string_view CostsFrom(std::string_view name);

}  // namespace hone
