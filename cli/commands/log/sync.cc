#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "core/text/shell_word.h"
#include "db/sync_stores.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {

int LogSyncCommand(const Arguments& arguments) {
  CommandLine line("hone log sync",
                   "Brings what either of two stores has to the other; B is made when it is not there.",
                   "hone log sync mine.db postgresql://lab@server/hone");
  std::string a, b;
  line.Add("A", a, "a store, a file or postgresql://...").Reads().Required();
  line.Add("B", b, "another store; made if missing").Reads().Required();
  if (!line.Parse(arguments)) return 0;
  const auto store_a = OpenExistingStore(a);
  const auto store_b = OpenStore(b);
  const SyncCounts counts = SyncStores(*store_a, *store_b);
  if (line.json()) {
    PrintJson({{"to_a", {{"records", counts.to_a.records}, {"foreign", counts.to_a.foreign}}},
               {"to_b", {{"records", counts.to_b.records}, {"foreign", counts.to_b.foreign}}}});
  } else {
    Print("{} records and {} foreign trials went to {}, {} and {} to {}\n", counts.to_b.records, counts.to_b.foreign, b,
          counts.to_a.records, counts.to_a.foreign, a);
  }
  line.Next("hone log stats --db " + ShellWord(b));
  return 0;
}

}  // namespace hone
