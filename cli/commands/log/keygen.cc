#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "core/error.h"
#include "core/hash/minisign.h"
#include "core/text/shell_word.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {

int LogKeygenCommand(const Arguments& arguments) {
  CommandLine line("hone log keygen", "Makes a key to sign packs with, as `minisign -G -W` does: without a password.",
                   "hone log keygen -o lab.key");
  std::string output;
  line.Add("-o,--output", output, "the secret key to write; FILE.pub gets the public one").Writes().Required();
  if (!line.Parse(arguments)) return 0;
  for (const std::string& path : {output, output + ".pub"}) {
    if (IsThere(path))
      throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is there already; a key is never replaced", path));
  }
  const SigningKey key = MakeSigningKey();
  WriteKeyFile(output, SecretKeyFile(key), Secrecy::kSecret);
  WriteFileAtomically(output + ".pub", PublicKeyFile(key.public_key));
  if (line.json()) {
    PrintJson({{"secret_file", output}, {"key", key.public_key.ToText()}, {"id", key.public_key.IdText()}});
  } else {
    Print("secret key: {}\npublic key: {}\nid: {}\n", output, key.public_key.ToText(), key.public_key.IdText());
  }
  line.Next("hone log pack --name NAME -o FILE.honepack --key " + ShellWord(output));
  return 0;
}

}  // namespace hone
