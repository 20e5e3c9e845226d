#include "cli/commands/log/log_commands.h"

namespace hone {

int LogCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"list", "the records that fit a query", LogListCommand},
      {"best", "the best record per workload and device", LogBestCommand},
      {"import", "adds the records of log files to the store", LogImportCommand},
      {"export", "writes records as a log file", LogExportCommand},
      {"stats", "what the store holds", LogStatsCommand},
      {"check", "whether every page and record of the store is right", LogCheckCommand},
      {"backup", "copies the store while others write to it", LogBackupCommand},
      {"recover", "a new store out of what is left of a damaged one", LogRecoverCommand},
      {"prune", "takes old, failed or slow records out of the store", LogPruneCommand},
  };
  return RunNamedCommand("hone log", commands, arguments);
}

}  // namespace hone
