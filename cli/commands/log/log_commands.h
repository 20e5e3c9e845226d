// The sub-commands of `hone log`, in one file for each subject. Each parses its options, calls one door and prints.
#pragma once

#include "cli/command.h"

namespace hone {

int LogBackupCommand(const Arguments& arguments);
int LogBestCommand(const Arguments& arguments);
int LogCheckCommand(const Arguments& arguments);
int LogDiffCommand(const Arguments& arguments);
int LogExportCommand(const Arguments& arguments);
int LogHealCommand(const Arguments& arguments);
int LogHubCommand(const Arguments& arguments);
int LogImportCommand(const Arguments& arguments);
int LogKeygenCommand(const Arguments& arguments);
int LogListCommand(const Arguments& arguments);
int LogPackCommand(const Arguments& arguments);
int LogPruneCommand(const Arguments& arguments);
int LogPullCommand(const Arguments& arguments);
int LogPushCommand(const Arguments& arguments);
int LogRecoverCommand(const Arguments& arguments);
int LogStatsCommand(const Arguments& arguments);
int LogSyncCommand(const Arguments& arguments);
int LogTrustCommand(const Arguments& arguments);
int LogUntrustCommand(const Arguments& arguments);
int LogVerifyCommand(const Arguments& arguments);
int LogWhyCommand(const Arguments& arguments);

}  // namespace hone
