#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "db/care/prune_store.h"
#include "lab/records/store.h"
#include "lab/text/print.h"
#include "lab/text/print_json.h"

namespace hone {

int LogPruneCommand(const Arguments& arguments) {
  CommandLine line("hone log prune",
                   "Takes records out of the store that all given options speak of; never a best one, nor what finals "
                   "were held over.");
  std::string db, before, fate;
  int64_t keep = 0;
  bool rehearse = false;
  AddStoreOption(line, db);
  line.Add("--before", before, "measured before a day (2026-11-22), or longer ago than 90d or 12h");
  line.Add("--fate", fate, "Ok, WrongOutput, Crashed, TimedOut, ...");
  line.Add("--keep", keep, "not among the fastest so many of workload, machine, target, threads and cache mode")
      .Between(1, int64_t{1} << 40);
  line.AddFlag("--rehearse", rehearse, "only tells how many would go");
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
    Print("{} records {}, {} stay; {} bytes freed\n", pruned.records, rehearse ? "would go" : "are gone", pruned.kept,
          pruned.freed_bytes);
  }
  line.Next("hone log stats" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
