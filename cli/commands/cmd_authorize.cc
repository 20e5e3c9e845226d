#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/identity.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

int AuthorizeCommand(const Arguments& arguments) {
  CommandLine line("hone authorize", "Lets a key in at this machine's tracker, also while that runs.",
                   "hone authorize ann.pub --name ann");
  std::string key, folder, roles = "tuner", name, expires;
  line.Add("KEY", key, "a public key, or a file NAME.pub with one").Reads().Required();
  line.Add("--name", name, "who owns it, for lists and the audit").Required();
  line.Add("--role", roles, "viewer, tuner, runner or admin; several with commas").ShowDefault();
  line.Add("--expires", expires, "end of admission in UTC, as 2027-01-31 or 2027-01-31T12:00:00Z");
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  RequireKeyName(name);
  const AuthorizedKey entry{ReadPublicKey(key), RolesOf(roles), name, ExpiryOf(expires)};
  const KeyFolder tracker(KeyFolderPath(folder));
  Authorize(tracker, entry);
  if (line.json()) {
    PrintJson({{"list", tracker.list()}, {"key", entry.key}, {"name", name}, {"roles", RolesText(entry.roles)}});
  } else {
    Print("{} may come as {}: {}\n", name, RolesText(entry.roles), KeyFingerprint(entry.key));
  }
  line.Next("hone keys" + KeyFolderWords(folder));
  return 0;
}

}  // namespace hone
