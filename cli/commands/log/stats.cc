#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

Json StatsJson(const std::string& path, const StoreStats& stats) {
  Json json = {{"path", path},
               {"records", stats.records},
               {"ok", stats.ok},
               {"workloads", stats.workloads},
               {"devices", stats.devices},
               {"runs", stats.runs},
               {"foreign", stats.foreign},
               {"bytes", stats.engine.size_bytes},
               {"schema_version", stats.engine.schema_version},
               {"journal_mode", stats.engine.journal},
               {"engine", stats.engine.name},
               {"engine_version", stats.engine.version}};
  if (stats.engine.name == "SQLite") json["sqlite"] = stats.engine.version;
  for (const auto& [fate, records] : stats.fates) json["fates"][std::string(FateName(fate))] = records;
  return json;
}

}  // namespace

int LogStatsCommand(const Arguments& arguments) {
  CommandLine line("hone log stats", "What the store holds.", "hone log stats");
  std::string db;
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  const std::string path = ExistingStorePath(db);
  const StoreStats stats = OpenExistingStore(db)->Stats();
  line.Next("hone log list" + line.Given({Topic::kStore}));
  if (line.json()) {
    PrintJson(StatsJson(path, stats));
    return 0;
  }
  Print("{}: {} records of {} workloads on {} devices, {} runs, {} foreign trials\n", path, stats.records,
        stats.workloads, stats.devices, stats.runs, stats.foreign);
  Print("{:.1f} MB, schema {}, journal {}, {} {}\n", static_cast<double>(stats.engine.size_bytes) / 1e6,
        stats.engine.schema_version, stats.engine.journal, stats.engine.name, stats.engine.version);
  Table table({"fate", "> records"});
  for (const auto& [fate, records] : stats.fates) {
    table.Add({std::string(FateName(fate)), fmt::format("{}", records)});
  }
  Print("{}", table.empty() ? "" : table.ToText());
  return 0;
}

}  // namespace hone
