#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/choose_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "core/error.h"
#include "core/text/shell_word.h"
#include "db/exports/google_benchmark.h"
#include "db/exports/kernel_tuner_t4.h"
#include "db/record_log.h"
#include "lab/files/write_file.h"
#include "lab/records/best_records.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

struct ExportOptions {
  QueryOptions query;
  std::vector<std::string> models;
  bool all = false, best = false;
  std::string format = "hone";
  std::string output;
};

// Exports the best records by default, because those are what others would use. Failed records have no best.
bool OnlyBest(const ExportOptions& options) {
  const bool worked = options.query.fate.empty() || ParseFate(options.query.fate) == Fate::kOk;
  return options.best || (!options.all && worked);
}

// Returns the number of records written. A log of a whole store is streamed, never held in memory.
int64_t Export(const ExportOptions& options, const RecordStore& store, std::ostream& out) {
  const RecordQuery query = QueryOf(options.query);
  const bool best = OnlyBest(options);
  if (options.format == "hone") {
    RecordQuery of = OfModels(query, options.models);
    if (!best) return ExportLog(store, of, out);
    of.fate = Fate::kOk;
    return ExportLog(store, BestIds(store, of), out);
  }
  const std::vector<Record> records = ChooseRecords(store, query, options.models, best);
  if (options.format == "t4") {
    out << DumpJson(KernelTunerT4(records)) << '\n';
  } else {
    out << DumpJson(GoogleBenchmark(records)) << '\n';
  }
  return static_cast<int64_t>(records.size());
}

}  // namespace

int LogExportCommand(const Arguments& arguments) {
  CommandLine line("hone log export",
                   "Writes the best records as a hone log, one JSON object a line, or as other programs read them.",
                   "hone log export --model model.onnx -o model.log");
  line.First({"-o", "--all", "--best", "--model", "--format"});
  ExportOptions options;
  AddQueryOptions(line, options.query);
  const Option all =
      line.AddFlag("--all", options.all, "every matching record, not only the best ones").In(OptionGroup::kRecords);
  line.AddFlag("--best", options.best, "the best of each workload and setup").In(OptionGroup::kRecords).Excludes(all);
  line.Add("--model", options.models, "only tasks of these models, at --threads")
      .In(OptionGroup::kRecords)
      .ReadsModel();
  line.Add("--format", options.format, "hone log, Kernel Tuner's T4 results, or google/benchmark's JSON")
      .In(OptionGroup::kOutput)
      .OneOf({"hone", "t4", "google-benchmark"})
      .ShowDefault();
  line.Add("-o,--output", options.output, "the file to write").Default("stdout").Writes();
  if (!line.Parse(arguments)) return 0;
  const std::string& output = options.output;
  if (line.json() && output.empty()) throw Error(ExitCode::kUsage, "--json reports on a file; give one with -o");
  const std::unique_ptr<RecordStore> store = OpenExistingStore(options.query.db);
  int64_t records = 0;
  const auto write = [&](std::ostream& out) { records = Export(options, *store, out); };
  if (output.empty()) {
    WriteThrough(WriteToStdout, write);
  } else {
    WriteFileAtomically(output, write);
  }
  if (line.json()) PrintJson({{"path", output}, {"records", records}});
  if (!line.json() && !output.empty()) Print("{} records written to {}\n", records, output);
  line.Next(options.format == "hone" ? "hone log import " + (output.empty() ? "FILE" : ShellWord(output))
                                     : "hone log list" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

}  // namespace hone
