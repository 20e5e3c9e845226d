#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/best_records.h"
#include "cli/command_line.h"
#include "cli/device_name.h"
#include "cli/files/read_file.h"
#include "cli/files/write_file.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "cli/store.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "db/record_log.h"

namespace hone {
namespace {

struct QueryOptions {
  std::string db, fate, cache;
  RecordQuery query;
  int threads = 0;
};

void AddQueryOptions(CommandLine& line, QueryOptions& options) {
  AddStoreOption(line, options.db);
  const auto add = [&line](const std::string& name, auto& value, const std::string& description) {
    return line.Add(name, value, description).About(Topic::kQuery);
  };
  add("--workload", options.query.workload, "a workload's whole text");
  add("--target", options.query.cpu, "the target's CPU, as znver3");
  add("--device", options.query.device, "part of the machine's CPU model, host, key, label or short id");
  add("--fate", options.fate, "Ok, WrongOutput, Crashed, TimedOut, ...");
  add("--cache", options.cache, "cold-weights or warm");
  add("--threads", options.threads, "the thread count").Between(1, 1024);
}

RecordQuery QueryOf(const QueryOptions& options) {
  RecordQuery query = options.query;
  if (!options.fate.empty()) query.fate = ParseFate(options.fate);
  if (!options.cache.empty()) query.cache = ParseCacheMode(options.cache);
  if (options.threads > 0) query.threads = options.threads;
  return query;
}

void PrintRecords(const std::vector<Record>& records, bool json) {
  if (json) {
    Json list = Json::array();
    for (const Record& record : records) list.push_back(ToJson(record));
    PrintJson({{"records", list}});
    return;
  }
  Table table(
      {"record", "fate", "> min", "> threads", "cpu", "device", "cache", "> place", "schedule", "config", "workload"});
  for (const Record& r : records) {
    table.Add({r.id, std::string(FateName(r.measurement.fate)), TimeText(r.measurement.MinNs()),
               fmt::format("{}", r.threads), r.candidate.target.cpu, DeviceName(r),
               std::string(CacheModeName(r.timing.cache)), r.finals.held > 0 ? fmt::format("{}", r.finals.place) : "",
               r.candidate.schedule, r.candidate.config.ToText(), r.candidate.workload.ToText()});
  }
  Print("{}{} records\n", table.empty() ? "" : table.ToText(), records.size());
}

int ListCommand(const Arguments& arguments) {
  CommandLine line("hone log list", "The records that fit, in the order they came.");
  QueryOptions options;
  AddQueryOptions(line, options);
  line.Add("--limit", options.query.limit, "at most so many; 0: all").Between(0, int64_t{1} << 40);
  if (!line.Parse(arguments)) return 0;
  PrintRecords(OpenExistingStore(options.db)->Find(QueryOf(options)), line.json());
  line.Next("hone log best" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

int BestCommand(const Arguments& arguments) {
  CommandLine line("hone log best", "The best record per workload, device, thread count and cache mode.");
  QueryOptions options;
  AddQueryOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  RecordQuery query = QueryOf(options);
  query.fate = Fate::kOk;
  PrintRecords(BestOf(OpenExistingStore(options.db)->Find(query)), line.json());
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kStore}));
  return 0;
}

void Add(ImportCounts& total, const ImportCounts& more) {
  total.fresh += more.fresh;
  total.known += more.known;
  total.foreign += more.foreign;
  total.foreign_failed += more.foreign_failed;
  total.refused.insert(total.refused.end(), more.refused.begin(), more.refused.end());
}

ImportCounts ImportFile(const std::string& path, RecordStore& store) {
  if (path == "-") return ImportLog(std::cin, "stdin", store);
  std::ifstream in(path, std::ios::binary);
  if (!in || in.peek() == std::ifstream::traits_type::eof()) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is not there, may not be read, or is empty", path));
  }
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

int ImportCommand(const Arguments& arguments) {
  CommandLine line(
      "hone log import",
      "Adds the records of hone logs, and AutoTVM's trials as starting points, to the store; those it has change "
      "nothing.");
  std::string db;
  std::vector<std::string> files;
  line.Add("FILE", files, "logs of `hone log export`, or AutoTVM's and TopHub's of version 0.2; - is stdin").Required();
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

int ExportCommand(const Arguments& arguments) {
  CommandLine line("hone log export", "Writes records as a hone log, one JSON object a line.");
  QueryOptions options;
  std::string output;
  AddQueryOptions(line, options);
  line.Add("-o,--output", output, "the file to write; by default stdout");
  if (!line.Parse(arguments)) return 0;
  if (line.json() && output.empty()) throw Error(ExitCode::kUsage, "--json reports on a file; give one with -o");
  const auto store = OpenExistingStore(options.db);
  std::ostringstream log;
  const int64_t count = ExportLog(*store, QueryOf(options), log);
  if (output.empty()) {
    WriteToStdout(log.view());
  } else {
    WriteFileAtomically(output, std::move(log).str());
  }
  if (line.json()) PrintJson({{"path", output}, {"records", count}});
  if (!line.json() && !output.empty()) Print("{} records written to {}\n", count, output);
  line.Next("hone log import " + (output.empty() ? "FILE" : ShellWord(output)));
  return 0;
}

}  // namespace

int LogCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"list", "the records that fit a query", ListCommand},
      {"best", "the best record per workload and device", BestCommand},
      {"import", "adds the records of log files to the store", ImportCommand},
      {"export", "writes records as a log file", ExportCommand},
  };
  return RunNamedCommand("hone log", commands, arguments);
}

}  // namespace hone
