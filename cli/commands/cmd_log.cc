#include "cli/commands/log/log_commands.h"

namespace hone {

int LogCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"list", "the records that fit a query", LogListCommand},
      {"best", "the best record per workload and device", LogBestCommand},
      {"import", "adds the records of log files to the store", LogImportCommand},
      {"export", "writes records as a log file", LogExportCommand},
      {"pack", "the best records as one file that others can check", LogPackCommand},
      {"pull", "takes a signed pack into the store", LogPullCommand},
      {"push", "puts a signed pack where others pull it from", LogPushCommand},
      {"hub", "the pack that came with hone", LogHubCommand},
      {"keygen", "makes a key to sign packs with", LogKeygenCommand},
      {"trust", "whose packs are taken", LogTrustCommand},
      {"untrust", "takes no more packs of a key", LogUntrustCommand},
      {"verify", "whether a pack's or store's records hold on this machine", LogVerifyCommand},
      {"why", "which records a build considers, and why it takes the one", LogWhyCommand},
      {"diff", "what changed between two stores or packs", LogDiffCommand},
      {"sync", "brings what either of two stores has to the other", LogSyncCommand},
      {"stats", "what the store holds", LogStatsCommand},
      {"check", "whether every page and record of the store is right", LogCheckCommand},
      {"heal", "takes out what blames candidates for the machine's trouble", LogHealCommand},
      {"backup", "copies the store while others write to it", LogBackupCommand},
      {"recover", "a new store out of what is left of a damaged one", LogRecoverCommand},
      {"prune", "takes old, failed or slow records out of the store", LogPruneCommand},
  };
  return RunNamedCommand("hone log", commands, arguments);
}

}  // namespace hone
