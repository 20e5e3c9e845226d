#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/text/shell_word.h"
#include "db/care/recover_store.h"
#include "lab/text/print.h"

namespace hone {

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
    Print("{} records, {} foreign trials and {} runs are in {}\n", recovered.records, recovered.foreign, recovered.runs,
          output);
  }
  line.Next("hone log check --db " + ShellWord(output));
  return StopExitCode(
      static_cast<int>(recovered.records + recovered.foreign > 0 ? ExitCode::kDone : ExitCode::kAnswerIsNo));
}

}  // namespace hone
