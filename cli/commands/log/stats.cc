#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "cli/store.h"

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
               {"bytes", stats.size_bytes},
               {"schema_version", stats.schema_version},
               {"journal_mode", stats.journal_mode},
               {"sqlite", stats.sqlite_version}};
  for (const auto& [fate, records] : stats.fates) json["fates"][std::string(FateName(fate))] = records;
  return json;
}

}  // namespace

int LogStatsCommand(const Arguments& arguments) {
  CommandLine line("hone log stats", "What the store holds.");
  std::string db;
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  const std::string path = ExistingStorePath(db);
  const StoreStats stats = OpenStore(path)->Stats();
  line.Next("hone log list" + line.Given({Topic::kStore}));
  if (line.json()) {
    PrintJson(StatsJson(path, stats));
    return 0;
  }
  Print("{}: {} records of {} workloads on {} devices, {} runs, {} foreign trials\n", path, stats.records,
        stats.workloads, stats.devices, stats.runs, stats.foreign);
  Print("{:.1f} MB, schema {}, journal {}, SQLite {}\n", static_cast<double>(stats.size_bytes) / 1e6,
        stats.schema_version, stats.journal_mode, stats.sqlite_version);
  Table table({"fate", "> records"});
  for (const auto& [fate, records] : stats.fates) {
    table.Add({std::string(FateName(fate)), fmt::format("{}", records)});
  }
  Print("{}", table.empty() ? "" : table.ToText());
  return 0;
}

}  // namespace hone
