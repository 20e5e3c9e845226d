#include "cli/commands/log/log_commands.h"

namespace hone {

int LogCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"list", "lists the records that match", LogListCommand, "Records"},
      {"best", "lists the best record of each workload and device", LogBestCommand, "Records"},
      {"why", "shows which records a build considers, and why it takes one", LogWhyCommand, "Records"},
      {"stats", "counts the store's contents", LogStatsCommand, "Records"},
      {"import", "adds the records of log files to the store", LogImportCommand, "Logs and packs"},
      {"export", "writes records as a log file", LogExportCommand, "Logs and packs"},
      {"pack", "writes the best records as one file that others can check", LogPackCommand, "Logs and packs"},
      {"pull", "adds a signed pack to the store", LogPullCommand, "Logs and packs"},
      {"push", "puts a signed pack where others can pull it", LogPushCommand, "Logs and packs"},
      {"hub", "shows the pack that came with hone", LogHubCommand, "Logs and packs"},
      {"verify", "times records of a pack or store on this machine", LogVerifyCommand, "Logs and packs"},
      {"keygen", "makes a signing key for packs", LogKeygenCommand, "Signing keys"},
      {"trust", "trusts the packs of a signing key, or lists the trusted ones", LogTrustCommand, "Signing keys"},
      {"untrust", "stops trusting the packs of a signing key", LogUntrustCommand, "Signing keys"},
      {"diff", "shows what changed between two stores or packs", LogDiffCommand, "Store"},
      {"sync", "copies the records of each of two stores to the other", LogSyncCommand, "Store"},
      {"check", "checks every page and record of the store", LogCheckCommand, "Store"},
      {"heal", "removes records that blame candidates for the machine's trouble", LogHealCommand, "Store"},
      {"backup", "copies the store while others write to it", LogBackupCommand, "Store"},
      {"recover", "makes a new store from the readable part of a damaged one", LogRecoverCommand, "Store"},
      {"prune", "removes old, failed or slow records", LogPruneCommand, "Store"},
  };
  return RunNamedCommand("hone log", "hone log best --target znver3", commands, arguments);
}

}  // namespace hone
