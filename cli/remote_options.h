// Options --tracker and --key of a command that may use a runner.
#pragma once

#include "cli/command_line.h"
#include "rpc_runner/runner.h"

namespace hone {

// Adds them with --identity and --server-key. `what` is the work that a runner does, for the help text.
void AddRemoteOptions(CommandLine& line, RemoteRunnerOptions& remote, const std::string& what);

// Whether a tracker was given. Throws Error(kUsage) for a tracker without a key.
bool IsRemote(const RemoteRunnerOptions& remote);

}  // namespace hone
