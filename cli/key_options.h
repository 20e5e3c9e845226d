// Options --tracker, --key, --identity and --server-key of a tracker's clients, and --keys of a tracker.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/runner.h"

namespace hone {

void AddClientKeyOptions(CommandLine& line, ClientKeys& keys);
void AddKeyFolderOption(CommandLine& line, std::string& folder);
// The key folder: the given one, else the default one (DefaultKeyFolder).
std::string KeyFolderPath(const std::string& folder);
// The keys of a tracker: those of `folder`. If it is empty, those of the default folder if that exists, else none.
ServerKeys TrackerKeys(const std::string& folder, const std::string& audit);
// " --keys FOLDER", or nothing, for CommandLine::Next.
std::string KeyFolderWords(const std::string& folder);
// Parses --role or --roles. Throws Error(kUsage).
uint8_t RolesOf(const std::string& text);
// Throws Error(kUsage) for a name that a list of keys cannot hold.
void RequireKeyName(const std::string& name);
// Parses an expiry; 0 for an empty text. Throws Error(kUsage).
int64_t ExpiryOf(const std::string& text);

// Adds --tracker and --key, for a command that may use a runner, with --identity and --server-key. `what` is the work
// that a runner does, for the help text.
void AddRemoteOptions(CommandLine& line, RemoteRunnerOptions& remote, const std::string& what);

// Whether a tracker was given. Throws Error(kUsage) for a tracker without a key.
bool IsRemote(const RemoteRunnerOptions& remote);

}  // namespace hone
