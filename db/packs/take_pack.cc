#include "db/packs/take_pack.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/hash/hash.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/rows/record_table.h"

namespace hone {
namespace {

struct Noted {
  int64_t serial = 0;  // 0: no pack of this name and signer was taken yet
  std::string sha256;
};

Noted NewestOf(Database& database, const CheckedPack& pack) {
  Statement statement(database,
                      "SELECT serial, sha256 FROM packs WHERE signer = ? AND name = ? ORDER BY serial DESC LIMIT 1");
  statement.Bind(1, pack.key.IdText());
  statement.Bind(2, pack.pack.manifest.name);
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
  statement.Bind(1, pack.key.IdText());
  statement.Bind(2, pack.pack.manifest.name);
  statement.Bind(3, pack.pack.manifest.serial);
  statement.Bind(4, pack.sha256);
  statement.Bind(5, ManifestText(pack.pack.manifest));
  statement.Bind(6, now_unix_ms);
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
    throw Error(
        ExitCode::kNotAuthorised,
        fmt::format("the pack is signed by key {}, which is not trusted; hone log trust adds it", unknown.IdText()));
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
