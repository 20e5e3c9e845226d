#include "db/packs/take_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/text/parse_number.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/store_tables.h"

namespace hone {

namespace {

bool IsWord(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; });
}

TrustedKey KeyOf(std::string_view line) {
  const std::vector<std::string_view> words = Split(line, ' ');
  if (words.size() != 2 || !IsWord(words[1])) throw Error(ExitCode::kBadData, "a line is KEY NAME");
  return {std::string(words[1]), SigningPublicKey::Parse(words[0])};
}

}  // namespace

TrustedKeys TrustedKeys::Parse(std::string_view text, const std::string& path) {
  TrustedKeys trusted;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      trusted.keys_.push_back(KeyOf(line));
    } catch (const Error& error) {
      throw Error(ExitCode::kBadConfig, fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  return trusted;
}

std::string TrustedKeys::ToText() const {
  std::string text = "# whose packs `hone log pull` takes: KEY NAME\n";
  for (const TrustedKey& key : keys_) text += fmt::format("{} {}\n", key.key.ToText(), key.name);
  return text;
}

const TrustedKey* TrustedKeys::Find(const SigningKeyId& id) const {
  const auto at = std::find_if(keys_.begin(), keys_.end(), [&](const TrustedKey& key) { return key.key.id == id; });
  return at == keys_.end() ? nullptr : &*at;
}

void TrustedKeys::Add(const std::string& name, const SigningPublicKey& key) {
  if (!IsWord(name))
    throw Error(ExitCode::kUsage, fmt::format("'{}' is no name: one word of at most 64 letters is", name));
  for (const TrustedKey& other : keys_) {
    if (other.name == name || other.key.id == key.id) {
      throw Error(ExitCode::kUsage, fmt::format("signing key {} is trusted as '{}' already; untrust it first",
                                                other.key.IdText(), other.name));
    }
  }
  keys_.push_back({name, key});
}

int TrustedKeys::Remove(std::string_view which) {
  return static_cast<int>(
      std::erase_if(keys_, [&](const TrustedKey& key) { return key.name == which || key.key.IdText() == which; }));
}

namespace {

struct Noted {
  int64_t serial = 0;  // 0: no pack of this name and signer was taken yet
  std::string sha256;
};

Noted NewestOf(Database& database, const CheckedPack& pack) {
  Statement statement(database,
                      "SELECT serial, sha256 FROM packs WHERE signer = ? AND name = ? ORDER BY serial DESC LIMIT 1");
  statement.Bind({pack.key.IdText(), pack.pack.manifest.name});
  if (!statement.Step()) return {};
  return {statement.Integer(0), statement.Text(1)};
}

void RefuseOlder(const Noted& newest, const CheckedPack& pack) {
  const PackManifest& manifest = pack.pack.manifest;
  if (manifest.serial < newest.serial) {
    throw Error(ExitCode::kNotAuthorised,
                fmt::format("pack {} has serial {}; the store has taken {} of it, and an older one is refused",
                            manifest.name, manifest.serial, newest.serial));
  }
  if (manifest.serial == newest.serial && pack.sha256 != newest.sha256) {
    throw Error(ExitCode::kNotAuthorised,
                fmt::format("pack {} has serial {} as one that the store has taken, and other "
                            "content; a pack never changes",
                            manifest.name, manifest.serial));
  }
}

void Note(Database& database, const CheckedPack& pack, int64_t now_unix_ms) {
  Statement statement(database,
                      "INSERT INTO packs(signer, name, serial, sha256, manifest, taken_unix_ms) VALUES(?,?,?,?,?,?) "
                      "ON CONFLICT(signer, name, serial) DO NOTHING");
  const PackManifest& manifest = pack.pack.manifest;
  statement.Bind({pack.key.IdText(), manifest.name, manifest.serial, pack.sha256, ManifestText(manifest), now_unix_ms});
  statement.Step();
}

}  // namespace

std::string PackComment(const PackManifest& manifest) {
  return fmt::format("hone pack {} serial {}", manifest.name, manifest.serial);
}

CheckedPack CheckPack(std::string_view bytes, std::string_view signature, const TrustedKeys& trusted) {
  const SigningKeyId id = SignerOf(signature);
  const TrustedKey* signer = trusted.Find(id);
  if (signer == nullptr) {
    SigningPublicKey unknown;
    unknown.id = id;
    throw Error(ExitCode::kNotAuthorised,
                fmt::format("the pack is signed by the signing key {}, which is not trusted; hone log trust adds it",
                            unknown.IdText()));
  }
  const std::string comment = CheckSignature(bytes, signature, signer->key);
  CheckedPack checked{ReadPack(bytes), signer->key, signer->name, Sha256Hex(bytes)};
  const std::string wanted = PackComment(checked.pack.manifest);
  if (comment != wanted) {
    throw Error(ExitCode::kNotAuthorised,
                fmt::format("the signature is of '{}', and the pack is '{}'", comment, wanted));
  }
  return checked;
}

TakenPack TakePack(const std::string& path, const CheckedPack& pack, int64_t now_unix_ms) {
  Database database = OpenDatabase(path, true);
  RefuseOlder(NewestOf(database, pack), pack);
  RecordRows rows(pack.pack.records, 0, pack.pack.records.size());
  Transaction transaction(database);
  // Another process may have taken a newer one in the meantime.
  RefuseOlder(NewestOf(database, pack), pack);
  const int64_t fresh = rows.Insert(database);
  Note(database, pack, now_unix_ms);
  transaction.Commit();
  return {fresh, pack.pack.manifest.records - fresh};
}

}  // namespace hone
