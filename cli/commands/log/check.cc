#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/shell_word.h"
#include "db/care/check_store.h"
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
      Print("{} records blame a candidate for trouble of the machine; hone log heal takes them out\n", check.to_heal);
    }
    Print("{} records and {} foreign trials looked at: {}\n", check.records, check.foreign,
          ok      ? "all is well"
          : whole ? "the store is whole"
                  : "the store is damaged");
  }
  line.Next(NextCommand(whole, ok, path) + (whole ? line.Given({Topic::kStore}) : ""));
  return static_cast<int>(ok ? ExitCode::kDone : whole ? ExitCode::kAnswerIsNo : ExitCode::kBadData);
}

}  // namespace hone
