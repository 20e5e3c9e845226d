#include "cli/record_options.h"

namespace hone {

void AddStoreOption(CommandLine& line, std::string& path) {
  line.Add("--db", path, "record store, a file or postgresql://...")
      .Default("$HONE_DB, else your own")
      .Reads()
      .About(Topic::kStore);
}

void AddRecordOptions(CommandLine& line, RecordOptions& options) {
  AddStoreOption(line, options.db);
  AddHubOption(line, options.hub);
  line.AddFlag("--no-records", options.no_records, "use analytic defaults instead of records").About(Topic::kStore);
}

void AddHubOption(CommandLine& line, std::string& hub) {
  line.Add("--hub", hub, "pack of records to fall back on, or none")
      .Default("the one in hone")
      .Reads()
      .Env("HONE_HUB")
      .About(Topic::kStore);
}

}  // namespace hone
