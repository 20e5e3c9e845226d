#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "db/foreign/record_exports.h"
#include "db/record_log.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/records/best_records.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {

namespace {

constexpr std::streamsize kMostOfALine = 4096;  // enough to see what a file is

void Add(ImportCounts& total, const ImportCounts& more) {
  total.fresh += more.fresh;
  total.known += more.known;
  total.foreign += more.foreign;
  total.foreign_failed += more.foreign_failed;
  total.refused.insert(total.refused.end(), more.refused.begin(), more.refused.end());
}

void RequireContent(bool is_empty, const std::string& path) {
  if (is_empty) throw Error(ExitCode::kNoInput, fmt::format("{} is empty", path));
}

// Before the store is opened, because that may make it. A pipe can be read only once.
void RequireLog(const std::string& path) {
  if (path == "-") return;
  if (!IsThere(path)) throw Error(ExitCode::kNoInput, fmt::format("there is no file {}", path));
  if (!std::filesystem::is_regular_file(path)) return;
  PipedInput input(path);
  std::istream in(&input);
  std::string begin(kMostOfALine, '\0');
  in.read(begin.data(), kMostOfALine);
  begin.resize(static_cast<size_t>(in.gcount()));
  RequireContent(begin.empty(), path);
  RequireLogText(path, begin.substr(0, begin.find('\n')));
}

ImportCounts ImportFile(const std::string& path, RecordStore& store) {
  if (path == "-") return ImportLog(std::cin, "stdin", store);
  PipedInput input(path);
  RequireContent(input.sgetc() == PipedInput::traits_type::eof(), path);
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
  for (const std::string& file : files) RequireLog(file);
  const auto store = OpenStore(db);
  ImportCounts counts;
  for (const std::string& file : files) Add(counts, ImportFile(file, *store));
  PrintCounts(counts, line.json());
  if (!counts.refused.empty() && counts.fresh + counts.known + counts.foreign == 0) {
    Note("no line was a record; a log of `hone log export`, AutoTVM or TopHub would be right\n");
  } else {
    line.Next("hone log best" + line.Given({Topic::kStore}));
  }
  return counts.refused.empty() ? 0 : static_cast<int>(ExitCode::kBadData);
}

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
    const RecordQuery of = OfModels(query, options.models);
    if (!best) return ExportLog(store, of, out);
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
  if (!line.json() && !output.empty()) Print("{} written to {}\n", Counted(records, "record"), output);
  line.Next(options.format == "hone" ? "hone log import " + (output.empty() ? "FILE" : ShellWord(output))
                                     : "hone log list" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

}  // namespace hone
