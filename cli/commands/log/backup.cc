#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "cli/stop.h"
#include "core/text/shell_word.h"
#include "db/care/backup_store.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {

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

}  // namespace hone
