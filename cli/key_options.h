// --identity and --server-key of whoever connects to a tracker, --keys of a tracker.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "rpc_runner/keys/key_options.h"

namespace hone {

void AddClientKeyOptions(CommandLine& line, ClientKeys& keys);
void AddKeyFolderOption(CommandLine& line, std::string& folder);
// The folder that holds: the given one, else the default one (DefaultKeyFolder).
std::string KeyFolderPath(const std::string& folder);
// The keys of a tracker: those of `folder`, or where none is given of the default one, where that has been made.
ServerKeys TrackerKeys(const std::string& folder, const std::string& audit);
// For CommandLine::Next: " --keys FOLDER", or nothing.
std::string KeyFolderWords(const std::string& folder);
// --role or --roles: throws Error(kUsage).
uint8_t RolesOf(const std::string& text);
// Throws Error(kUsage) on a name that a list of keys cannot hold.
void RequireKeyName(const std::string& name);
// 0 for an empty text. Throws Error(kUsage).
int64_t ExpiryOf(const std::string& text);

}  // namespace hone
