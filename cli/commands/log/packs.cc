#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/show.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/hash/minisign.h"
#include "core/text/printable.h"
#include "db/packs/pack.h"
#include "db/packs/take_pack.h"
#include "db/packs/url_transfer.h"
#include "db/record_log.h"
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
  line.Add("--device", options.recipe.device, "part of the CPU model, host, device key, label or id")
      .In(OptionGroup::kRecords);
  line.Add("--target", options.recipe.cpu, "CPU of the target, as znver3").In(OptionGroup::kRecords);
  line.Add("--threads", options.recipe.threads, "number of threads").In(OptionGroup::kRecords).Between(1, 1024);
  line.Add("--since", options.since, "only what was measured since 2026-11-22, or within 90d, 12h")
      .In(OptionGroup::kRecords);
  line.Add("--signing-key,--key", options.key, "secret signing key; the pack's .minisig gets the signature")
      .Reads()
      .Formerly("--key");
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
                   "hone log pack --name lab --signing-key lab.key -o lab.honepack");
  line.First({"--name", "-o", "--signing-key", "--model", "--reproduce"});
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
    Print("{}: {} of {} on {} in {} bytes, serial {}{}\n", options.output, Counted(manifest.records, "record"),
          Counted(manifest.workloads, "workload"), Counted(manifest.machines.size(), "machine"), bytes.size(),
          manifest.serial, key ? ", signed by " + key->public_key.IdText() : ", not signed");
  }
  line.Next("hone log push " + ShellWord(options.output) + " FOLDER");
  return 0;
}

namespace {

namespace fs = std::filesystem;

// A pack that a pull would refuse is not published.
void RequireSigned(const std::string& path, const std::string& bytes) {
  try {
    ReadPack(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}; `hone log pack` makes packs", path, error.what()));
  }
  if (!IsThere(path + ".minisig")) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format("'{}' is not signed: there is no {}.minisig; hone log pack --signing-key makes it", path, path));
  }
  SignerOf(ReadFile(path + ".minisig"));
}

[[noreturn]] void RefuseOther(const std::string& to) {
  throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is another pack, and a pack never changes", to));
}

bool Holds(const std::string& path, const std::string& bytes) {
  return IsThere(path) && ReadFile(path, InputFile::Use::kOwnOutput) == bytes;
}

std::string PutInFolder(const std::string& path, const std::string& bytes, const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(ExitCode::kNoInput, fmt::format("there is no folder '{}', and it is no http(s) address", folder));
  }
  const std::string to = (fs::path(folder) / fs::path(path).filename()).string();
  const std::string signature = ReadFile(path + ".minisig");
  const bool is_there = Holds(to, bytes);
  if (IsThere(to) && !is_there) RefuseOther(to);
  // The signature is written first, so that a visible pack can always be checked.
  if (!Holds(to + ".minisig", signature)) WriteFileAtomically(to + ".minisig", signature);
  if (!is_there) WriteFileAtomically(to, bytes);
  return to;
}

// Whether the server has exactly these bytes at that address. Throws Error(kCannotCreate) if it has others.
bool IsAtUrl(const std::string& to, const std::string& bytes) {
  try {
    if (FetchUrl(to, {.most_bytes = kMostPackBytes}) == bytes) return true;
  } catch (const Error& error) {
    if (error.code() == ExitCode::kNoInput) return false;
    throw;
  }
  RefuseOther(to);
}

std::string PutAtUrl(const std::string& path, const std::string& bytes, const std::string& url) {
  const std::string to = url + (url.ends_with('/') ? "" : "/") + fs::path(path).filename().string();
  if (IsAtUrl(to, bytes)) return to;
  PutUrl(to + ".minisig", ReadFile(path + ".minisig"));
  PutUrl(to, bytes);
  return to;
}

}  // namespace

int LogPushCommand(const Arguments& arguments) {
  CommandLine line("hone log push",
                   "Puts a signed pack where others pull from: a folder, as one that a web server shows, or an "
                   "http(s) address that takes PUT.",
                   "hone log push lab.honepack /srv/packs");
  std::string path, where;
  line.Add("PACK", path, "a signed pack of `hone log pack --signing-key`").Reads().Required();
  line.Add("FOLDER|URL", where, "where to put it, under its own name").WritesInto().Required();
  if (!line.Parse(arguments)) return 0;
  const std::string bytes = ReadFile(path);
  RequireSigned(path, bytes);
  const std::string to = IsUrl(where) ? PutAtUrl(path, bytes, where) : PutInFolder(path, bytes, where);
  if (line.json()) {
    PrintJson({{"path", to}, {"bytes", bytes.size()}});
  } else {
    Print("{} and its signature are there\n", to);
  }
  line.Next("hone log pull " + ShellWord(to));
  return 0;
}

int LogHubCommand(const Arguments& arguments) {
  CommandLine line("hone log hub", "The pack that came with hone: what a build falls back on.", "hone log hub");
  std::string hub;
  AddHubOption(line, hub);
  if (!line.Parse(arguments)) return 0;
  const std::string path = HubPath(hub);
  if (path.empty()) throw Error(ExitCode::kNoInput, "no hub came with this hone; --hub FILE names a pack");
  const RecordPack pack = ReadPack(ReadFile(path));
  const PackManifest& manifest = pack.manifest;
  if (line.json()) {
    Json records = Json::array();
    for (const Record& record : pack.records) records.push_back(ToJson(record));
    PrintJson({{"path", path}, {"manifest", ParseJson(ManifestText(manifest), "the manifest")}, {"records", records}});
  } else {
    PrintRecords(pack.records, false);
    Print("{}: {} serial {}, by {}\n", path, manifest.name, manifest.serial, manifest.by);
    for (const PackMachine& machine : manifest.machines)
      Print("  {}: {}\n", machine.fingerprint, Counted(machine.records, "record"));
  }
  line.Next("hone log why MODEL");
  return 0;
}

}  // namespace hone
