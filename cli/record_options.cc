#include "cli/record_options.h"

namespace hone {

void AddStoreOption(CommandLine& line, std::string& path) {
  line.Add("--db", path, "the record store, a file or postgresql://...; by default $HONE_DB, else the user's own")
      .Reads()
      .About(Topic::kStore);
}

void AddRecordOptions(CommandLine& line, RecordOptions& options) {
  AddStoreOption(line, options.db);
  AddHubOption(line, options.hub);
  line.AddFlag("--no-records", options.no_records, "use each schedule's analytic default, whatever is known")
      .About(Topic::kStore);
}

void AddHubOption(CommandLine& line, std::string& hub) {
  line.Add("--hub", hub, "the pack to fall back on, or none; by default the one that came with hone")
      .Reads()
      .Env("HONE_HUB")
      .About(Topic::kStore);
}

}  // namespace hone
