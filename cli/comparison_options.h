// Options of commands that compare the devices of a store.
#pragma once

#include "cli/command_line.h"
#include "lab/comparison/compare_models.h"

namespace hone {

// Adds --device, --accept, --price and the options of AddContextOptions.
void AddRecordComparisonOptions(CommandLine& line, RecordComparisonOptions& options);

}  // namespace hone
