#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "db/care/prune_store.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {

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
    Print("{} records {}, {} stay; {} bytes freed\n", pruned.records, rehearse ? "would go" : "are gone", pruned.kept,
          pruned.freed_bytes);
  }
  line.Next("hone log stats" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
