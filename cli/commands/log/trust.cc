#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/trusted_file.h"
#include "core/error.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

void List(const TrustedKeys& trusted, bool json) {
  Json list = Json::array();
  Table table({"name", "id", "key"});
  for (const TrustedKey& key : trusted.keys()) {
    list.push_back({{"name", key.name}, {"id", key.key.IdText()}, {"key", key.key.ToText()}});
    table.Add({key.name, key.key.IdText(), key.key.ToText()});
  }
  if (json) {
    PrintJson({{"path", TrustedKeysPath()}, {"keys", list}});
  } else {
    Print("{}", table.empty() ? "nobody's packs are taken\n" : table.ToText());
  }
}

}  // namespace

int LogTrustCommand(const Arguments& arguments) {
  CommandLine line("hone log trust", "Takes packs that this key has signed; without a key lists whose are taken.",
                   "hone log trust lab.key.pub --name lab");
  std::string key, name;
  line.Add("KEY", key, "a public key of minisign, or a file with one").Reads();
  line.Add("--name", name, "name of its owner, in one word");
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (!key.empty()) {
    if (name.empty()) throw Error(ExitCode::kUsage, "--name is missing: whose key it is, in one word");
    trusted.Add(name, SigningKeyOf(key));
    WriteTrustedKeys(trusted);
  }
  List(trusted, line.json());
  line.Next("hone log pull PACK");
  return 0;
}

int LogUntrustCommand(const Arguments& arguments) {
  CommandLine line("hone log untrust", "Takes no more packs of a key; what was pulled stays.", "hone log untrust lab");
  std::string which;
  line.Add("WHICH", which, "name or id of the key").Required();
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (trusted.Remove(which) == 0) {
    throw Error(ExitCode::kNoInput, fmt::format("no key '{}' is trusted; hone log trust lists those that are", which));
  }
  WriteTrustedKeys(trusted);
  List(trusted, line.json());
  line.Next("hone log trust");
  return 0;
}

}  // namespace hone
