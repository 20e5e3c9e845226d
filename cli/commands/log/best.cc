#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/print_records.h"
#include "cli/commands/log/query_options.h"
#include "lab/records/best_records.h"
#include "lab/records/records.h"

namespace hone {

int LogBestCommand(const Arguments& arguments) {
  CommandLine line("hone log best", "The best record per workload, device, thread count and cache mode.",
                   "hone log best --target znver3");
  line.First({"--db", "--workload", "--device", "--target", "--threads"});
  QueryOptions options;
  AddQueryOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  RecordQuery query = QueryOf(options);
  query.fate = Fate::kOk;
  const std::unique_ptr<RecordStore> store = OpenExistingStore(options.db);
  PrintRecords(*store, BestIds(*store, query), line.json());
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
