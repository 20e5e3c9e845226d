#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/print_records.h"
#include "cli/commands/log/query_options.h"
#include "lab/records/records.h"

namespace hone {

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

}  // namespace hone
