#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/store.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "db/care/check_store.h"
#include "db/open_database.h"

namespace hone {

int LogCheckCommand(const Arguments& arguments) {
  CommandLine line("hone log check",
                   "Looks at every page, index and record of the store, and tells what is not right.");
  std::string db;
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  const std::string path = ExistingStorePath(db);
  const StoreCheck check = CheckStore(path);
  const bool ok = check.problems.empty();
  if (line.json()) {
    PrintJson({{"ok", ok}, {"records", check.records}, {"foreign", check.foreign}, {"problems", check.problems}});
  } else {
    for (const std::string& problem : check.problems) Print("{}\n", problem);
    Print("{} records and {} foreign trials looked at: {}\n", check.records, check.foreign,
          ok ? "all is well" : "the store is damaged");
  }
  line.Next(ok ? (IsServerStore(path) ? "hone log stats" : "hone log backup -o FILE") + line.Given({Topic::kStore})
               : "hone log recover " + ShellWord(path) + " -o NEW.db");
  return static_cast<int>(ok ? ExitCode::kDone : ExitCode::kBadData);
}

}  // namespace hone
