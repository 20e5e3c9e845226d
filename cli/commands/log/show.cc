#include "cli/commands/log/show.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "core/text/printable.h"
#include "db/record_log.h"
#include "lab/files/write_file.h"
#include "lab/history/history_forms.h"
#include "lab/history/record_changes.h"
#include "lab/machine/device_name.h"
#include "lab/records/best_records.h"
#include "lab/records/diff_records.h"
#include "lab/records/records.h"
#include "lab/report/history_page.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {

namespace {

using EachTrialRow = std::function<void(const std::function<void(const TrialRow& row)>& visit)>;
using EachRecord = std::function<void(const std::function<void(const Record& record)>& visit)>;

std::vector<std::string> CellsOf(const TrialRow& r) {
  return {r.id,
          std::string(FateName(r.fate)),
          TimeText(r.min_ns),
          fmt::format("{}", r.threads),
          r.cpu,
          DeviceName(r),
          std::string(CacheModeName(r.cache)),
          r.held > 0 ? fmt::format("{}", r.place) : "",
          r.schedule,
          r.config,
          r.workload};
}

void PrintAsTable(const EachTrialRow& each) {
  const size_t records = PrintTable(
      {"record", "fate", "> min", "> threads", "cpu", "device", "cache", "> place", "schedule", "config", "workload"},
      OutputColumns(), [&each](const auto& row) { each([&row](const TrialRow& trial) { row(CellsOf(trial)); }); });
  Print("{}\n", Counted(records, "record"));
}

void PrintAsJson(const EachRecord& each) {
  bool first = true;
  Print("{{\"records\":[");
  each([&first](const Record& record) {
    Print("{}{}", first ? "" : ",", DumpJson(ToJson(record)));
    first = false;
  });
  Print("]}}\n");
}

// Rows made from whole records.
EachTrialRow TrialsOf(const EachRecord& each) {
  return [each](const auto& visit) { each([&visit](const Record& record) { visit(TrialRowOf(record, 0)); }); };
}

}  // namespace

void PrintRecords(const std::vector<Record>& records, bool json) {
  const EachRecord each = [&records](const auto& visit) {
    for (const Record& record : records) visit(record);
  };
  json ? PrintAsJson(each) : PrintAsTable(TrialsOf(each));
}

void PrintRecords(const RecordStore& store, RecordQuery query, bool json) {
  // A table reads the store twice, so both readings end at the same arrival.
  if (query.until == 0) query.until = store.Arrived();
  if (json) return PrintAsJson([&](const auto& visit) { store.EachRecord(query, visit); });
  PrintAsTable([&](const auto& visit) { store.EachTrial(query, visit); });
}

void PrintRecords(const RecordStore& store, const std::vector<std::string>& ids, bool json) {
  const EachRecord each = [&](const auto& visit) {
    for (const std::string& id : ids) {
      if (const std::optional<Record> record = store.Get(id)) visit(*record);
    }
  };
  json ? PrintAsJson(each) : PrintAsTable(TrialsOf(each));
}

int LogListCommand(const Arguments& arguments) {
  CommandLine line("hone log list", "The records that fit, in the order they came.",
                   "hone log list --fate Crashed --since 7d");
  line.First({"--db", "--workload", "--device", "--fate", "--limit"});
  QueryOptions options;
  AddQueryOptions(line, options);
  line.Add("--limit", options.query.limit, "most records to print; 0 prints all")
      .In(OptionGroup::kRecords)
      .Between(0, int64_t{1} << 40);
  if (!line.Parse(arguments)) return 0;
  PrintRecords(*OpenExistingStore(options.db), QueryOf(options), line.json());
  line.Next("hone log best" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

int LogBestCommand(const Arguments& arguments) {
  CommandLine line("hone log best", "The best record per workload, device, thread count and cache mode.",
                   "hone log best --target znver3");
  line.First({"--db", "--workload", "--device", "--target", "--threads"});
  QueryOptions options;
  AddQueryOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const RecordQuery query = QueryOf(options);
  const std::unique_ptr<RecordStore> store = OpenExistingStore(options.db);
  const std::vector<std::string> ids = BestIds(*store, query);
  PrintRecords(*store, ids, line.json());
  line.Next((ids.empty() ? "hone log stats" : "hone build MODEL -o P.hone") + line.Given({Topic::kStore}));
  return 0;
}

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
  Print("{}: {} of {} on {}, {}, {}\n", path, Counted(stats.records, "record"), Counted(stats.workloads, "workload"),
        Counted(stats.devices, "device"), Counted(stats.runs, "run"), Counted(stats.foreign, "foreign trial"));
  Print("{:.1f} MB, schema {}, journal {}, {} {}\n", static_cast<double>(stats.engine.size_bytes) / 1e6,
        stats.engine.schema_version, stats.engine.journal, stats.engine.name, stats.engine.version);
  Table table({"fate", "> records"});
  for (const auto& [fate, records] : stats.fates) {
    table.Add({std::string(FateName(fate)), fmt::format("{}", records)});
  }
  Print("{}", table.empty() ? "" : table.ToText());
  return 0;
}

namespace {

struct DiffOptions {
  std::string a, b, since, html;
};

// The two sides are two stores or packs, or one store before a day and since.
std::vector<RecordDiff> Diffs(const DiffOptions& options) {
  if (options.since.empty()) return DiffRecords(RecordsIn(options.a), RecordsIn(options.b));
  return RecordChangesSince(*OpenExistingStore(options.a), {}, ParseSince(options.since, NowMs()));
}

std::string TitleOf(const DiffOptions& options) {
  return options.since.empty() ? fmt::format("From {} to {}", options.a, options.b)
                               : fmt::format("{} since {}", options.a, options.since);
}

}  // namespace

int LogDiffCommand(const Arguments& arguments) {
  CommandLine line("hone log diff",
                   "What is new, gone, faster or slower in B's best records against A's, or in A's since a day.",
                   "hone log diff old.db new.db");
  line.First({"--since", "--html"});
  DiffOptions options;
  line.Add("A", options.a, "a store or a pack").Reads().Required();
  line.Add("B", options.b, "another one, unless --since is given").Reads();
  line.Add("--since", options.since, "compare A's records before and after 2026-11-22, or 90d, 12h ago");
  line.Add("--html", options.html, "also write one page with charts to this file").Writes();
  if (!line.Parse(arguments)) return 0;
  if (options.b.empty() == options.since.empty()) {
    throw Error(ExitCode::kUsage, "right are two stores or packs, A and B, or one store with --since");
  }
  History history;
  history.diffs = Diffs(options);
  if (!options.html.empty()) WriteFileAtomically(options.html, HistoryPage(history, TitleOf(options)));
  if (line.json()) {
    PrintJson({{"diffs", DiffsJson(history.diffs)}});
  } else {
    PrintVerdicts(DiffsText(history.diffs, OutputColumns()));
  }
  line.Next("hone log best --db STORE");
  return 0;
}

}  // namespace hone
