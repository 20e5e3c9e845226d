#include "db/packs/pack.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/choose_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/hash/minisign.h"
#include "core/text/shell_word.h"
#include "db/packs/take_pack.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

struct PackOptions {
  std::string db, output, key, since, reproduce;
  PackName name;
  PackRecipe recipe;
  bool all = false;
};

void AddPackOptions(CommandLine& line, PackOptions& options) {
  AddStoreOption(line, options.db);
  line.Add("--name", options.name.name, "the pack's name: letters, digits, -, _ and .");
  line.Add("--serial", options.name.serial, "greater for a newer pack")
      .In(OptionGroup::kRecords)
      .Default("its newest record's time")
      .Between(1, int64_t{1} << 53);
  line.Add("--by", options.name.by, "who made it").In(OptionGroup::kRecords);
  line.AddFlag("--all", options.all, "every matching record, not only the best ones").In(OptionGroup::kRecords);
  line.Add("--model", options.recipe.models, "only tasks of these models, at --threads")
      .In(OptionGroup::kRecords)
      .ReadsModel();
  line.Add("--device", options.recipe.device, "part of the CPU model, host, key, label or id")
      .In(OptionGroup::kRecords);
  line.Add("--target", options.recipe.cpu, "CPU of the target, as znver3").In(OptionGroup::kRecords);
  line.Add("--threads", options.recipe.threads, "number of threads").In(OptionGroup::kRecords).Between(1, 1024);
  line.Add("--since", options.since, "only what was measured since 2026-11-22, or within 90d, 12h")
      .In(OptionGroup::kRecords);
  line.Add("--key", options.key, "secret key to sign with; FILE.minisig gets the signature").Reads();
  line.Add("-o,--output", options.output, "the file to write, which does not exist yet").Writes();
  line.Add("--reproduce", options.reproduce, "make this pack again, and say whether it is the same").Reads();
}

WrittenPack PackOf(const PackName& name, const PackRecipe& recipe, const std::string& db) {
  RecordQuery query;
  query.device = recipe.device;
  query.cpu = recipe.cpu;
  if (recipe.threads > 0) query.threads = recipe.threads;
  query.since_unix_ms = recipe.since_unix_ms;
  const std::unique_ptr<RecordStore> store = OpenExistingStore(db);
  const std::vector<std::string> ids = ChooseIds(*store, query, recipe.models, recipe.best);
  return MakePack(name, recipe, [&](const auto& take) {
    for (const std::string& id : ids) {
      if (const std::optional<Record> record = store->Get(id)) take(*record);
    }
  });
}

// Compares the packed contents, because another zlib may compress the same contents to other bytes.
int Reproduce(const PackOptions& options, bool json) {
  const std::string bytes = ReadFile(options.reproduce);
  const PackManifest manifest = ReadPackManifest(bytes);
  const WrittenPack again = PackOf({manifest.name, manifest.serial, manifest.by}, manifest.recipe, options.db);
  const bool same_bytes = again.bytes == bytes;
  const bool same = same_bytes || again.manifest == manifest;
  if (json) {
    PrintJson({{"same", same}, {"same_bytes", same_bytes}});
  } else {
    Print("{}\n", !same        ? "the store gives another pack"
                  : same_bytes ? "the same, byte for byte"
                               : "the same records and manifest, compressed by another zlib");
  }
  return static_cast<int>(same ? ExitCode::kDone : ExitCode::kAnswerIsNo);
}

void Require(const std::string& value, const char* option) {
  if (value.empty())
    throw Error(ExitCode::kUsage, fmt::format("{} is missing: hone log pack --name NAME -o FILE", option));
}

}  // namespace

int LogPackCommand(const Arguments& arguments) {
  CommandLine line("hone log pack",
                   "Makes a pack: the store's best records in one file that others can check and pull.",
                   "hone log pack --name lab --key lab.key -o lab.honepack");
  line.First({"--name", "-o", "--key", "--model", "--reproduce"});
  PackOptions options;
  AddPackOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (!options.reproduce.empty()) return Reproduce(options, line.json());
  Require(options.name.name, "--name");
  Require(options.output, "--output");
  if (IsThere(options.output)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("'{}' is there already, and a pack never changes", options.output));
  }
  std::optional<SigningKey> key;
  if (!options.key.empty()) key = ParseSecretKeyFile(ReadKeyFile(options.key, Secrecy::kSecret, "the signing key"));
  if (!options.since.empty()) options.recipe.since_unix_ms = ParseSince(options.since, NowMs());
  options.recipe.best = !options.all;
  const auto [bytes, manifest] = PackOf(options.name, options.recipe, options.db);
  if (key) WriteFileAtomically(options.output + ".minisig", SignBytes(bytes, *key, PackComment(manifest)));
  WriteFileAtomically(options.output, bytes);
  if (line.json()) {
    PrintJson({{"path", options.output},
               {"bytes", bytes.size()},
               {"signed", key.has_value()},
               {"manifest", ParseJson(ManifestText(manifest), "the manifest")}});
  } else {
    Print("{}: {} records of {} workloads on {} machines in {} bytes, serial {}{}\n", options.output, manifest.records,
          manifest.workloads, manifest.machines.size(), bytes.size(), manifest.serial,
          key ? ", signed by " + key->public_key.IdText() : ", not signed");
  }
  line.Next("hone log push " + ShellWord(options.output) + " FOLDER");
  return 0;
}

}  // namespace hone
