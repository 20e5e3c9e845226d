#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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
#include "db/exports/google_benchmark.h"
#include "db/exports/kernel_tuner_t4.h"
#include "db/record_log.h"

namespace hone {
namespace {

struct ExportOptions {
  QueryOptions query;
  std::vector<std::string> models;
  bool best = false;
  std::string format = "hone";
  std::string output;
};

struct Exported {
  std::string text;
  int64_t records = 0;
};

Exported Export(const ExportOptions& options) {
  const std::unique_ptr<RecordStore> store = OpenExistingStore(options.query.db);
  const RecordQuery query = QueryOf(options.query);
  std::ostringstream log;
  if (options.format == "hone" && !options.best) {
    const int64_t records = ExportLog(*store, OfModels(query, options.models), log);
    return {std::move(log).str(), records};
  }
  const std::vector<Record> records = ChooseRecords(*store, query, options.models, options.best);
  const auto count = static_cast<int64_t>(records.size());
  if (options.format == "t4") return {DumpJson(KernelTunerT4(records)) + "\n", count};
  if (options.format == "google-benchmark") return {DumpJson(GoogleBenchmark(records)) + "\n", count};
  WriteLog(records, log);
  return {std::move(log).str(), count};
}

}  // namespace

int LogExportCommand(const Arguments& arguments) {
  CommandLine line("hone log export",
                   "Writes records as a hone log, one JSON object a line, or as other programs read them.");
  ExportOptions options;
  AddQueryOptions(line, options.query);
  line.AddFlag("--best", options.best, "only the best of each workload, machine, target CPU, threads and cache mode");
  line.Add("--model", options.models, "only the tasks of these models, at --threads");
  line.Add("--format", options.format,
           "hone: a log; t4: Kernel Tuner's T4 results; google-benchmark: google/benchmark's JSON")
      .OneOf({"hone", "t4", "google-benchmark"})
      .ShowDefault();
  line.Add("-o,--output", options.output, "the file to write; by default stdout");
  if (!line.Parse(arguments)) return 0;
  const std::string& output = options.output;
  if (line.json() && output.empty()) throw Error(ExitCode::kUsage, "--json reports on a file; give one with -o");
  const Exported exported = Export(options);
  if (output.empty()) {
    WriteToStdout(exported.text);
  } else {
    WriteFileAtomically(output, exported.text);
  }
  if (line.json()) PrintJson({{"path", output}, {"records", exported.records}});
  if (!line.json() && !output.empty()) Print("{} records written to {}\n", exported.records, output);
  line.Next(options.format == "hone" ? "hone log import " + (output.empty() ? "FILE" : ShellWord(output))
                                     : "hone log list" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

}  // namespace hone
