#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "core/error.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

int RevokeCommand(const Arguments& arguments) {
  CommandLine line("hone revoke", "Takes keys out of a tracker's list; a running tracker closes their connections.",
                   "hone revoke ann");
  std::string which, folder;
  line.Add("WHICH", which, "name, key, a key's first 8 or more characters, or fingerprint").Required();
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  const KeyFolder tracker(KeyFolderPath(folder));
  const std::vector<AuthorizedKey> out = Revoke(tracker, which);
  if (out.empty()) {
    throw Error(ExitCode::kNoInput, fmt::format("{} has no key of {}; hone keys lists them", tracker.list(), which));
  }
  Json revoked = Json::array();
  for (const AuthorizedKey& key : out) {
    revoked.push_back({{"name", key.name}, {"key", key.key}, {"roles", RolesText(key.roles)}});
    if (!line.json()) Print("{} is out: {}\n", key.name, KeyFingerprint(key.key));
  }
  if (line.json()) PrintJson({{"list", tracker.list()}, {"revoked", revoked}});
  line.Next("hone keys" + KeyFolderWords(folder));
  return 0;
}

}  // namespace hone
