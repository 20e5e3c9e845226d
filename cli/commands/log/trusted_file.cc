#include "cli/commands/log/trusted_file.h"

#include <filesystem>

#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

std::string TrustedKeysPath() { return ConfigFolder() + "/trusted_packs"; }

TrustedKeys ReadTrustedKeys() {
  if (!HasConfigFolder() || !IsThere(TrustedKeysPath())) return {};
  return TrustedKeys::Parse(ReadFile(TrustedKeysPath(), InputFile::Use::kOwnOutput), TrustedKeysPath());
}

void WriteTrustedKeys(const TrustedKeys& trusted) {
  std::error_code ignored;  // writing the file reports a folder that cannot be made
  std::filesystem::create_directories(ConfigFolder(), ignored);
  WriteFileAtomically(TrustedKeysPath(), trusted.ToText());
}

SigningPublicKey SigningKeyOf(const std::string& key_or_file) {
  return SigningPublicKey::Parse(IsThere(key_or_file) ? ReadFile(key_or_file) : key_or_file);
}

TrustedKeys OnlyKey(const std::string& key_or_file) {
  TrustedKeys trusted;
  const SigningPublicKey key = SigningKeyOf(key_or_file);
  trusted.Add(key.IdText(), key);
  return trusted;
}

}  // namespace hone
