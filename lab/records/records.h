// The records that a build uses.
#pragma once

#include <string>

#include "db/record_layers.h"

namespace hone {

struct RecordOptions {
  std::string db;           // empty: the default store, if it exists
  std::string hub;          // a pack's file, or "none"; empty: the installed one, if it exists
  bool no_records = false;  // analytic defaults only
};
// The records in the order of lookup: the user's store ("store"), hone.db beside the model's file ("project"), the hub
// ("hub"). Missing ones are left out; with no_records there are none. `model` is as on the command line. Throws
// Error(kNoInput) for a named store or hub that does not exist, and what reading them throws.
RecordLayers OpenRecords(const RecordOptions& options, const std::string& model);

// The hub's file; empty if there is none.
std::string HubPath(const std::string& hub);

}  // namespace hone
