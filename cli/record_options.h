// Options --db, --hub and --no-records: the record store, and the records that a build uses.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "lab/records/records.h"

namespace hone {

// Adds --db; an empty path means the default store (DefaultStorePath).
void AddStoreOption(CommandLine& line, std::string& path);
// Adds --db, --hub and --no-records.
void AddRecordOptions(CommandLine& line, RecordOptions& options);
// Adds only --hub.
void AddHubOption(CommandLine& line, std::string& hub);

}  // namespace hone
