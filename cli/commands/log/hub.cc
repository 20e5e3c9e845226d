#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/print_records.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "db/packs/pack.h"
#include "db/record_log.h"
#include "lab/files/read_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {

int LogHubCommand(const Arguments& arguments) {
  CommandLine line("hone log hub", "The pack that came with hone: what a build falls back on.", "hone log hub");
  std::string hub;
  AddHubOption(line, hub);
  if (!line.Parse(arguments)) return 0;
  const std::string path = HubPath(hub);
  if (path.empty()) throw Error(ExitCode::kNoInput, "no hub came with this hone; --hub FILE names a pack");
  const RecordPack pack = ReadPack(ReadFile(path));
  const PackManifest& manifest = pack.manifest;
  if (line.json()) {
    Json records = Json::array();
    for (const Record& record : pack.records) records.push_back(ToJson(record));
    PrintJson({{"path", path}, {"manifest", ParseJson(ManifestText(manifest), "the manifest")}, {"records", records}});
  } else {
    PrintRecords(pack.records, false);
    Print("{}: {} serial {}, by {}\n", path, manifest.name, manifest.serial, manifest.by);
    for (const PackMachine& machine : manifest.machines)
      Print("  {}: {} records\n", machine.fingerprint, machine.records);
  }
  line.Next("hone log why MODEL");
  return 0;
}

}  // namespace hone
