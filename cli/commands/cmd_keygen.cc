#include <fmt/format.h>

#include <filesystem>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "core/text/shell_word.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/identity.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

int KeygenCommand(const Arguments& arguments) {
  CommandLine line("hone keygen", "Makes a key for this user, or with --server a tracker's key folder.", "hone keygen");
  line.First({"--identity", "--name", "--server", "--keys"});
  bool server = false;
  std::string identity, folder, name = "hone";
  line.AddFlag("--server", server, "make a tracker's key folder with an empty list");
  AddKeyFolderOption(line, folder);
  line.Add("--identity", identity, "file for the secret key; FILE.pub gets the public one")
      .Writes()
      .Env("HONE_IDENTITY");
  line.Add("--name", name, "comment beside the public key").ShowDefault();
  if (!line.Parse(arguments)) return 0;
  const KeyFolder tracker(KeyFolderPath(folder));
  const std::string path = server ? tracker.secret() : identity.empty() ? DefaultIdentityPath() : identity;
  if (server) {
    MakeTrackerFolder(tracker);
  } else {
    WriteIdentity(path, NewKeyPair(), name);
  }
  const std::string key = ReadIdentity(path).public_key;
  if (line.json()) {
    PrintJson({{"secret_file", path}, {"key", key}, {"fingerprint", KeyFingerprint(key)}});
  } else {
    Print("secret key: {}\npublic key: {}\nfingerprint: {}\n", path, key, KeyFingerprint(key));
  }
  line.Next(server ? "hone enroll --name NAME --role runner" + KeyFolderWords(folder)
                   : fmt::format("hone authorize {} --name NAME --role tuner", ShellWord(key)));
  return 0;
}

}  // namespace hone
