#include <fmt/format.h>

#include <sstream>

#include "cli/command_line.h"
#include "cli/commands/log/choose_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/files/write_file.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/store.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "db/record_log.h"

namespace hone {
namespace {

struct ExportOptions {
  QueryOptions query;
  std::vector<std::string> models;
  bool best = false;
  std::string output;
};

}  // namespace

int LogExportCommand(const Arguments& arguments) {
  CommandLine line("hone log export", "Writes records as a hone log, one JSON object a line.");
  ExportOptions options;
  AddQueryOptions(line, options.query);
  line.AddFlag("--best", options.best, "only the best of each workload, machine, target CPU, threads and cache mode");
  line.Add("--model", options.models, "only the tasks of these models, at --threads");
  line.Add("-o,--output", options.output, "the file to write; by default stdout");
  if (!line.Parse(arguments)) return 0;
  const std::string& output = options.output;
  if (line.json() && output.empty()) throw Error(ExitCode::kUsage, "--json reports on a file; give one with -o");
  const std::vector<Record> records =
      ChooseRecords(*OpenExistingStore(options.query.db), QueryOf(options.query), options.models, options.best);
  std::ostringstream log;
  WriteLog(records, log);
  if (output.empty()) {
    WriteToStdout(log.view());
  } else {
    WriteFileAtomically(output, std::move(log).str());
  }
  if (line.json()) PrintJson({{"path", output}, {"records", records.size()}});
  if (!line.json() && !output.empty()) Print("{} records written to {}\n", records.size(), output);
  line.Next("hone log import " + (output.empty() ? "FILE" : ShellWord(output)));
  return 0;
}

}  // namespace hone
