#include <fmt/format.h>

#include <fstream>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/commands/log/trusted_file.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "db/packs/fetch_url.h"
#include "db/packs/take_pack.h"
#include "lab/files/read_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {
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
  line.First({"--db", "--key", "--max-size"});
  std::string from, db, key;
  int64_t most_mib = 64;
  line.Add("PACK", from, "a file or http(s) address; PACK.minisig is its signature").Reads().Required();
  AddStoreOption(line, db);
  line.Add("--key", key, "trust this public key, or file, only now").Reads();
  line.Add("--max-size", most_mib, "largest size of a pack, in MiB").Between(1, 256).ShowDefault();
  if (!line.Parse(arguments)) return 0;
  TrustedKeys trusted = ReadTrustedKeys();
  if (!key.empty()) trusted = OnlyKey(key);
  // The signature comes first: without one there is nothing to fetch.
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
      Print("  {}: {} records\n", machine.fingerprint, machine.records);
  }
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
