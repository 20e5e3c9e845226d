#include "rpc_runner/keys/identity.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

// The only line that is not a comment; empty if there is none or more than one.
std::string OnlyLine(std::string_view text) {
  std::string only;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.empty() || line == "#" || line.starts_with("# ")) continue;
    if (!only.empty()) return "";
    only = line;
  }
  return only;
}

}  // namespace

KeyPair ReadIdentity(const std::string& path) {
  if (!KeyFileIsThere(path)) {
    throw Error(ExitCode::kBadConfig, fmt::format("there is no secret key {}; hone keygen makes one", path));
  }
  const std::string secret = OnlyLine(ReadKeyFile(path, Secrecy::kSecret, "the secret key"));
  if (!IsKey(secret)) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("the secret key {} is damaged: one line of 40 characters is right", path));
  }
  return {PublicKeyOf(secret), secret};
}

void WriteIdentity(const std::string& path, const KeyPair& keys, const std::string& comment) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) MakeKeyFolder(folder.string());
  for (const std::string& file : {path, path + ".pub"}) {
    if (!KeyFileIsThere(file)) continue;
    throw Error(ExitCode::kCannotCreate, fmt::format("{} is there already; remove it first to have a new key", file));
  }
  WriteKeyFile(path, fmt::format("# a secret key of hone: nobody else may read it\n{}\n", keys.secret_key),
               Secrecy::kSecret);
  WriteKeyFile(path + ".pub", fmt::format("{} {}\n", keys.public_key, comment), Secrecy::kProtected);
}

KeyPair ReadOrMakeIdentity(const std::string& path, const std::string& comment) {
  if (!KeyFileIsThere(path)) WriteIdentity(path, NewKeyPair(), comment);
  return ReadIdentity(path);
}

std::string ReadPublicKey(const std::string& text_or_path) {
  if (IsKey(text_or_path)) return text_or_path;
  if (!KeyFileIsThere(text_or_path)) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} is neither a public key nor a file; 40 characters of Z85 or a "
                                                  ".pub file would be right",
                                                  Shortened(text_or_path, 200)));
  }
  const std::string line = OnlyLine(ReadKeyFile(text_or_path, Secrecy::kProtected, "the public key"));
  const std::string key = line.substr(0, line.find(' '));
  if (!IsKey(key)) throw Error(ExitCode::kBadConfig, fmt::format("{} holds no public key", text_or_path));
  return key;
}

}  // namespace hone
