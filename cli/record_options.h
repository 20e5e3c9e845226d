// --db, --hub and --no-records: which records a build looks at.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "db/record_layers.h"

namespace hone {

struct RecordOptions {
  std::string db;           // empty: the default store, when it is there
  std::string hub;          // a pack's file, or "none"; empty: the one that was installed, when it is there
  bool no_records = false;  // analytic defaults only
};
void AddRecordOptions(CommandLine& line, RecordOptions& options);
// --hub alone.
void AddHubOption(CommandLine& line, std::string& hub);

// In the order of a lookup: the user's store ("store"), hone.db beside the model's file ("project"), the hub ("hub").
// What is not there is left out; nothing with no_records. `model`: as on the command line. Throws Error(kNoInput) for a
// store or hub that was named and is not there, and what reading them throws.
RecordLayers OpenRecords(const RecordOptions& options, const std::string& model);

// The hub's file; empty when there is none.
std::string HubPath(const std::string& hub);

}  // namespace hone
