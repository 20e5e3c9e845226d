#include <fmt/format.h>

#include <iostream>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "db/record_log.h"
#include "lab/files/read_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {
namespace {

void Add(ImportCounts& total, const ImportCounts& more) {
  total.fresh += more.fresh;
  total.known += more.known;
  total.foreign += more.foreign;
  total.foreign_failed += more.foreign_failed;
  total.refused.insert(total.refused.end(), more.refused.begin(), more.refused.end());
}

ImportCounts ImportFile(const std::string& path, RecordStore& store) {
  if (path == "-") return ImportLog(std::cin, "stdin", store);
  PipedInput input(path);
  if (input.sgetc() == PipedInput::traits_type::eof()) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is empty", path));
  }
  std::istream in(&input);
  return ImportLog(in, path, store);
}

void PrintCounts(const ImportCounts& counts, bool json) {
  Json refused = Json::array();
  for (const RefusedLine& r : counts.refused) {
    refused.push_back({{"file", r.file}, {"line", r.line}, {"reason", r.reason}});
    if (!json) Print("{}:{}: {}\n", r.file, r.line, r.reason);
  }
  if (json) {
    PrintJson({{"counts",
                {{"new", counts.fresh},
                 {"known", counts.known},
                 {"foreign", counts.foreign},
                 {"foreign_failed", counts.foreign_failed},
                 {"refused", counts.refused.size()}}},
               {"refused", refused}});
    return;
  }
  Print("{} new, {} known, {} refused\n", counts.fresh, counts.known, counts.refused.size());
  if (counts.foreign > 0) {
    Print("{} are of another tuner ({} failed): hone tune times the fastest first, and no build takes them\n",
          counts.foreign, counts.foreign_failed);
  }
}

}  // namespace

int LogImportCommand(const Arguments& arguments) {
  CommandLine line(
      "hone log import",
      "Adds the records of hone logs, and AutoTVM's trials as starting points, to the store; those it has change "
      "nothing.",
      "hone log import tuned.log");
  std::string db;
  std::vector<std::string> files;
  line.Add("FILE", files, "logs of hone, AutoTVM or TopHub; - is stdin").Reads().Required();
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  for (const std::string& file : files) {
    if (file != "-" && !IsThere(file)) throw Error(ExitCode::kNoInput, fmt::format("there is no file {}", file));
  }
  const auto store = OpenStore(db);
  ImportCounts counts;
  for (const std::string& file : files) Add(counts, ImportFile(file, *store));
  PrintCounts(counts, line.json());
  line.Next("hone log best" + line.Given({Topic::kStore}));
  return counts.refused.empty() ? 0 : static_cast<int>(ExitCode::kBadData);
}

}  // namespace hone
