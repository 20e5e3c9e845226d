#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/print_records.h"
#include "cli/commands/log/query_options.h"
#include "lab/records/store.h"

namespace hone {

int LogListCommand(const Arguments& arguments) {
  CommandLine line("hone log list", "The records that fit, in the order they came.");
  QueryOptions options;
  AddQueryOptions(line, options);
  line.Add("--limit", options.query.limit, "at most so many; 0: all").Between(0, int64_t{1} << 40);
  if (!line.Parse(arguments)) return 0;
  PrintRecords(*OpenExistingStore(options.db), QueryOf(options), line.json());
  line.Next("hone log best" + line.Given({Topic::kStore, Topic::kQuery}));
  return 0;
}

}  // namespace hone
