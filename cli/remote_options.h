// --tracker and --key of a command that may work on a runner.
#pragma once

#include "cli/command_line.h"
#include "rpc_runner/runner.h"

namespace hone {

// `what` says what is done there. With --identity and --server-key.
void AddRemoteOptions(CommandLine& line, RemoteRunnerOptions& remote, const std::string& what);

// Whether a tracker was given. Throws Error(kUsage) when a tracker was given without a key.
bool IsRemote(const RemoteRunnerOptions& remote);

}  // namespace hone
