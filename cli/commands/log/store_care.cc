#include "db/care/store_care.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "db/open_database.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {

namespace {

std::string NextCommand(bool whole, bool ok, const std::string& path) {
  if (!whole) return "hone log recover " + ShellWord(path) + " -o NEW.db";
  if (!ok) return "hone log heal";
  return IsServerStore(path) ? "hone log stats" : "hone log backup -o FILE";
}

}  // namespace

int LogCheckCommand(const Arguments& arguments) {
  CommandLine line("hone log check", "Looks at every page, index and record of the store, and tells what is not right.",
                   "hone log check");
  std::string db;
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  const std::string path = ExistingStorePath(db);
  const StoreCheck check = CheckStore(path);
  const bool whole = check.problems.empty(), ok = whole && check.to_heal == 0;
  if (line.json()) {
    PrintJson({{"ok", ok},
               {"records", check.records},
               {"foreign", check.foreign},
               {"to_heal", check.to_heal},
               {"problems", check.problems}});
  } else {
    for (const std::string& problem : check.problems) Print("{}\n", problem);
    if (check.to_heal > 0) {
      Print("{} with the machine's trouble blamed on a candidate: hone log heal takes such out\n",
            Counted(check.to_heal, "record"));
    }
    Print("{} and {} looked at: {}\n", Counted(check.records, "record"), Counted(check.foreign, "foreign trial"),
          ok      ? "all is well"
          : whole ? "the store is whole"
                  : "the store is damaged");
  }
  line.Next(NextCommand(whole, ok, path) + (whole ? line.Given({Topic::kStore}) : ""));
  return static_cast<int>(ok ? ExitCode::kDone : whole ? ExitCode::kAnswerIsNo : ExitCode::kBadData);
}

namespace {

constexpr size_t kMostCauses = 10;

// Prints the most common causes first.
void PrintCauses(const Healed& healed) {
  std::vector<std::pair<int64_t, std::string>> causes;
  for (const auto& [cause, count] : healed.causes) causes.emplace_back(count, cause);
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < std::min(causes.size(), kMostCauses); ++i) {
    Print("{:>8}  {}\n", causes[i].first, Printable(causes[i].second));
  }
}

}  // namespace

int LogHealCommand(const Arguments& arguments) {
  CommandLine line("hone log heal",
                   "Takes records out of the store that blame a candidate for trouble of the machine: a full disk, no "
                   "memory, a missing folder, a reference that did not run.",
                   "hone log heal --rehearse");
  line.First({"--db", "--rehearse"});
  std::string db;
  bool rehearse = false;
  AddStoreOption(line, db);
  line.AddFlag("--rehearse", rehearse, "only print how many records would go");
  if (!line.Parse(arguments)) return 0;
  const Healed healed = HealStore(ExistingStorePath(db), rehearse);
  if (line.json()) {
    PrintJson({{"removed", rehearse ? 0 : healed.records},
               {"would_remove", healed.records},
               {"kept", healed.kept},
               {"causes", healed.causes}});
  } else {
    PrintCauses(healed);
    Print("{}: {}; left: {}\n", rehearse ? "would go" : "gone", Counted(healed.records, "record"), healed.kept);
  }
  line.Next("hone log check" + line.Given({Topic::kStore}));
  return 0;
}

int LogPruneCommand(const Arguments& arguments) {
  CommandLine line("hone log prune",
                   "Takes records out of the store that all given options speak of; never a best one, nor what finals "
                   "were held over.",
                   "hone log prune --fate Crashed --before 90d --rehearse");
  line.First({"--before", "--fate", "--keep", "--rehearse", "--db"});
  std::string db, before, fate;
  int64_t keep = 0;
  bool rehearse = false;
  AddStoreOption(line, db);
  line.Add("--before", before, "measured before 2026-11-22, or longer ago than 90d, 12h").In(OptionGroup::kRecords);
  line.Add("--fate", fate, "outcome: Ok, WrongOutput, Crashed, TimedOut, ...").In(OptionGroup::kRecords);
  line.Add("--keep", keep, "keep the fastest N of each workload and setup")
      .In(OptionGroup::kRecords)
      .Between(1, int64_t{1} << 40);
  line.AddFlag("--rehearse", rehearse, "only print how many records would go");
  if (!line.Parse(arguments)) return 0;
  if (before.empty() && fate.empty() && keep == 0) {
    throw Error(ExitCode::kUsage, "nothing says which records may go; give --before, --fate or --keep");
  }
  PrunePolicy policy;
  if (!before.empty()) policy.before_unix_ms = ParseSince(before, NowMs());
  if (!fate.empty()) policy.fate = ParseFate(fate);
  if (keep > 0) policy.beyond_rank = keep;
  const Pruned pruned = PruneStore(ExistingStorePath(db), policy, rehearse);
  if (line.json()) {
    PrintJson({{"removed", rehearse ? 0 : pruned.records},
               {"would_remove", pruned.records},
               {"kept", pruned.kept},
               {"freed_bytes", pruned.freed_bytes}});
  } else {
    Print("{}: {}; left: {}; {} bytes freed\n", rehearse ? "would go" : "gone", Counted(pruned.records, "record"),
          pruned.kept, pruned.freed_bytes);
  }
  line.Next("hone log stats" + line.Given({Topic::kStore}));
  return 0;
}

int LogSyncCommand(const Arguments& arguments) {
  CommandLine line("hone log sync",
                   "Brings what either of two stores has to the other; B is made when it is not there.",
                   "hone log sync mine.db postgresql://lab@server/hone");
  std::string a, b;
  line.Add("A", a, "a store, a file or postgresql://...").Reads().Required();
  line.Add("B", b, "another store; made if missing").Reads().Required();
  if (!line.Parse(arguments)) return 0;
  std::error_code error;
  if (a == b || std::filesystem::equivalent(a, b, error)) {
    throw Error(ExitCode::kUsage, fmt::format("{} and {} are one store; two would be right", a, b));
  }
  const auto store_a = OpenExistingStore(a);
  const auto store_b = OpenStore(b);
  const SyncCounts counts = SyncStores(*store_a, *store_b);
  if (line.json()) {
    PrintJson({{"to_a", {{"records", counts.to_a.records}, {"foreign", counts.to_a.foreign}}},
               {"to_b", {{"records", counts.to_b.records}, {"foreign", counts.to_b.foreign}}}});
  } else {
    Print("{} and {} went to {}, {} and {} to {}\n", Counted(counts.to_b.records, "record"),
          Counted(counts.to_b.foreign, "foreign trial"), b, counts.to_a.records, counts.to_a.foreign, a);
  }
  line.Next("hone log stats --db " + ShellWord(b));
  return 0;
}

int LogBackupCommand(const Arguments& arguments) {
  CommandLine line("hone log backup", "Copies the store, as it is at one moment, to a new file; others may go on.",
                   "hone log backup -o copy.db");
  std::string db, output;
  AddStoreOption(line, db);
  line.Add("-o,--output", output, "the copy, a file that does not exist yet").Writes().Required();
  if (!line.Parse(arguments)) return 0;
  // Stops in order: an immediate end would leave an unfinished file.
  CatchStopSignals();
  const int64_t bytes = BackupStore(ExistingStorePath(db), output);
  if (line.json()) {
    PrintJson({{"path", output}, {"bytes", bytes}});
  } else {
    Print("{} bytes written to {}\n", bytes, output);
  }
  line.Next("hone log check --db " + ShellWord(output));
  return StopExitCode(0);
}

int LogRecoverCommand(const Arguments& arguments) {
  CommandLine line("hone log recover", "Makes a new store of all that can still be read of a damaged one.",
                   "hone log recover damaged.db -o new.db");
  std::string store, output;
  line.Add("STORE", store, "the damaged store, which is left as it is").Reads().Required();
  line.Add("-o,--output", output, "the new store, a file that does not exist yet").Writes().Required();
  if (!line.Parse(arguments)) return 0;
  // Stops in order: an immediate end would leave an unfinished file.
  CatchStopSignals();
  const Recovered recovered = RecoverStore(store, output);
  if (line.json()) {
    PrintJson(
        {{"path", output}, {"records", recovered.records}, {"foreign", recovered.foreign}, {"runs", recovered.runs}});
  } else {
    Print("{}, {} and {} written to {}\n", Counted(recovered.records, "record"),
          Counted(recovered.foreign, "foreign trial"), Counted(recovered.runs, "run"), output);
  }
  line.Next("hone log check --db " + ShellWord(output));
  return StopExitCode(
      static_cast<int>(recovered.records + recovered.foreign > 0 ? ExitCode::kDone : ExitCode::kAnswerIsNo));
}

}  // namespace hone
