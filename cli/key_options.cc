#include "cli/key_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "rpc_runner/keys/authorized_list.h"

namespace hone {

void AddClientKeyOptions(CommandLine& line, ClientKeys& keys) {
  if (HasConfigFolder()) {
    for (const std::string& path : {DefaultIdentityPath(), KnownTrackersPath()}) OutputGuard::Own().AddInput(path);
  }
  line.Add("--identity", keys.identity, "file with your secret key")
      .Default("the one of `hone key new`")
      .Reads()
      .Env("HONE_IDENTITY")
      .About(Topic::kRunners);
  line.Add("--server-key", keys.server_key, "the tracker's public key, or a file with it")
      .Default("as known_trackers says")
      .Reads()
      .Env("HONE_SERVER_KEY")
      .About(Topic::kRunners);
}

void AddKeyFolderOption(CommandLine& line, std::string& folder) {
  line.Add("--keys", folder, "the tracker's key folder").Default("your own").In(OptionGroup::kRemote).Env("HONE_KEYS");
}

std::string KeyFolderPath(const std::string& folder) { return folder.empty() ? DefaultKeyFolder() : folder; }

ServerKeys TrackerKeys(const std::string& folder, const std::string& audit) {
  if (!folder.empty()) return {folder, audit};
  if (!HasConfigFolder()) return {"", audit};
  const std::string own = DefaultKeyFolder();
  // Half of a key folder stops the tracker later, because its maker did not want a tracker without keys.
  const bool is_made = IsThere(KeyFolder(own).secret()) || IsThere(KeyFolder(own).list());
  return {is_made ? own : "", audit};
}

std::string KeyFolderWords(const std::string& folder) { return folder.empty() ? "" : " --keys " + ShellWord(folder); }

uint8_t RolesOf(const std::string& text) {
  if (const std::optional<uint8_t> roles = ParseRoles(text)) return *roles;
  throw Error(ExitCode::kUsage,
              fmt::format("--role {}: viewer, tuner, runner, or several with commas between would be right", text));
}

void RequireKeyName(const std::string& name) {
  if (IsKeyName(name)) return;
  throw Error(ExitCode::kUsage, fmt::format("--name {}: 1 to 64 letters, digits and . _ - @ would be right", name));
}

int64_t ExpiryOf(const std::string& text) {
  if (text.empty()) return 0;
  if (const std::optional<int64_t> moment = ParseUtcTime(text)) return *moment;
  throw Error(ExitCode::kUsage,
              fmt::format("--expires {}: a date in UTC as 2027-01-31 or 2027-01-31T12:00:00Z would be right", text));
}

void AddRemoteOptions(CommandLine& line, RemoteRunnerOptions& remote, const std::string& what) {
  const Option tracker =
      line.Add("--tracker", remote.tracker, "tracker, tcp://HOST:PORT: " + what).About(Topic::kRunners);
  line.Add("--key", remote.key, "device key of the runners to use").Needs(tracker).About(Topic::kRunners);
  AddClientKeyOptions(line, remote.keys);
}

bool IsRemote(const RemoteRunnerOptions& remote) {
  if (remote.tracker.empty()) return false;
  if (remote.key.empty())
    throw Error(ExitCode::kUsage, "--tracker needs --key; `hone devices --tracker` lists the device keys");
  return true;
}

}  // namespace hone
