#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/hash/minisign.h"
#include "core/text/printable.h"
#include "db/packs/take_pack.h"
#include "db/packs/url_transfer.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/keys/key_paths.h"

namespace hone {
namespace {

// Path of `trusted_packs`, the user's list of trusted signers, in the configuration folder (ConfigFolder).
std::string TrustedKeysPath() { return ConfigFolder() + "/trusted_packs"; }

// The list; empty if there is no such file.
TrustedKeys ReadTrustedKeys() {
  if (!HasConfigFolder() || !IsThere(TrustedKeysPath())) return {};
  return TrustedKeys::Parse(ReadFile(TrustedKeysPath(), InputFile::Use::kOwnOutput), TrustedKeysPath());
}

void WriteTrustedKeys(const TrustedKeys& trusted) {
  std::error_code ignored;  // writing the file reports a folder that cannot be made
  std::filesystem::create_directories(ConfigFolder(), ignored);
  WriteFileAtomically(TrustedKeysPath(), trusted.ToText());
}

// Parses a public key, or reads a file with one. Throws Error(kBadData).
SigningPublicKey SigningKeyOf(const std::string& key_or_file) {
  return SigningPublicKey::Parse(IsThere(key_or_file) ? ReadFile(key_or_file) : key_or_file);
}

// A list with only this key.
TrustedKeys OnlyKey(const std::string& key_or_file) {
  TrustedKeys trusted;
  const SigningPublicKey key = SigningKeyOf(key_or_file);
  trusted.Add(key.IdText(), key);
  return trusted;
}

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
    Print("{}", table.empty() ? "no signer is trusted, so no pack is taken\n" : table.ToText());
  }
}

}  // namespace

int LogTrustCommand(const Arguments& arguments) {
  CommandLine line("hone log trust",
                   "Takes packs that this signing key has signed; without a key lists whose are taken.",
                   "hone log trust lab.key.pub --name lab");
  std::string key, name;
  line.Add("KEY", key, "a public signing key of minisign, or a file with one").Reads();
  line.Add("--name", name, "name of its owner, in one word");
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (!key.empty()) {
    if (name.empty()) throw Error(ExitCode::kUsage, "--name is missing: whose key it is, in one word");
    trusted.Add(name, SigningKeyOf(key));
    WriteTrustedKeys(trusted);
  }
  List(trusted, line.json());
  line.Next(trusted.keys().empty() ? "hone log trust KEY --name NAME" : "hone log pull PACK");
  return 0;
}

int LogUntrustCommand(const Arguments& arguments) {
  CommandLine line("hone log untrust", "Takes no more packs of a signing key; what was pulled stays.",
                   "hone log untrust lab");
  std::string which;
  line.Add("WHICH", which, "name or id of the signing key").Required();
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (trusted.Remove(which) == 0) {
    throw Error(ExitCode::kNoInput,
                fmt::format("no signing key '{}' is trusted; hone log trust lists those that are", which));
  }
  WriteTrustedKeys(trusted);
  List(trusted, line.json());
  line.Next("hone log trust");
  return 0;
}

int LogKeygenCommand(const Arguments& arguments) {
  CommandLine line("hone log keygen", "Makes a signing key for packs, as `minisign -G -W` does: without a password.",
                   "hone log keygen -o lab.key");
  std::string output;
  line.Add("-o,--output", output, "the secret signing key to write; FILE.pub gets the public one").Writes().Required();
  if (!line.Parse(arguments)) return 0;
  for (const std::string& path : {output, output + ".pub"}) {
    if (IsThere(path))
      throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is there already; a signing key is never replaced", path));
  }
  const SigningKey key = MakeSigningKey();
  WriteKeyFile(output, SecretKeyFile(key), Secrecy::kSecret);
  WriteFileAtomically(output + ".pub", PublicKeyFile(key.public_key));
  if (line.json()) {
    PrintJson({{"secret_file", output}, {"key", key.public_key.ToText()}, {"id", key.public_key.IdText()}});
  } else {
    Print("secret key: {}\npublic key: {}\nid: {}\n", output, key.public_key.ToText(), key.public_key.IdText());
  }
  line.Next("hone log pack --name NAME -o FILE.honepack --signing-key " + ShellWord(output));
  return 0;
}

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMostSignatureBytes = 4096;

std::string BytesOf(const std::string& from, int64_t most) {
  if (IsUrl(from)) return FetchUrl(from, {.most_bytes = most});
  std::string bytes = ReadFile(from);
  if (static_cast<int64_t>(bytes.size()) > most) {
    throw Error(ExitCode::kBadData, fmt::format("'{}' is longer than {} bytes", from, most));
  }
  return bytes;
}

}  // namespace

int LogPullCommand(const Arguments& arguments) {
  CommandLine line("hone log pull",
                   "Takes a signed pack into the store: checked whole before anything of it reaches the store.",
                   "hone log pull https://example.org/lab.honepack");
  line.First({"--db", "--signing-key", "--max-size"});
  std::string from, db, key;
  int64_t most_mib = 64;
  line.Add("PACK", from, "a file or http(s) address; PACK.minisig is its signature").Reads().Required();
  AddStoreOption(line, db);
  line.Add("--signing-key,--key", key, "trust this public signing key, or file, only now").Reads().Formerly("--key");
  line.Add("--max-size", most_mib, "largest size of a pack, in MiB").Between(1, 256).ShowDefault();
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (!key.empty()) trusted = OnlyKey(key);
  // The signature comes first: without one there is nothing to fetch.
  if (!IsUrl(from) && !IsThere(from)) {
    throw Error(ExitCode::kNoInput, fmt::format("there is no file {}; a pack or its http(s) address is right", from));
  }
  if (!IsUrl(from) && !IsThere(from + ".minisig")) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format("there is no {0}.minisig, the signature of {0}; without one only a store's or log's records "
                    "are taken, by `hone log sync` and `hone log import`",
                    from));
  }
  const std::string signature = BytesOf(from + ".minisig", kMostSignatureBytes);
  const std::string bytes = BytesOf(from, most_mib * kMiB);
  const CheckedPack pack = CheckPack(bytes, signature, trusted);
  const TakenPack taken = TakePack(StorePath(db), pack, NowMs());
  const PackManifest& manifest = pack.pack.manifest;
  if (line.json()) {
    PrintJson({{"name", manifest.name},
               {"serial", manifest.serial},
               {"signer", pack.signer},
               {"key", pack.key.IdText()},
               {"new", taken.fresh},
               {"known", taken.known}});
  } else {
    Print("{} serial {}, signed by {}: {} new, {} known\n", manifest.name, manifest.serial, pack.signer, taken.fresh,
          taken.known);
    for (const PackMachine& machine : manifest.machines)
      Print("  {}: {}\n", machine.fingerprint, Counted(machine.records, "record"));
  }
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
