#include "rpc_runner/keys/key_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/identity.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

constexpr size_t kLeastPrefix = 8;
constexpr const char* kHeading =
    "# KEY ROLES NAME [expires=DATE]: whom this tracker admits. ROLES: viewer, tuner, runner with commas between.\n"
    "# A running tracker reads this file again within a second.\n";

std::string EnvironmentVariable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string ReadList(const KeyFolder& folder) {
  return ReadKeyFile(folder.list(), Secrecy::kProtected, "the list of keys");
}

// The key on a line of the list; empty if the line has none.
std::string KeyOf(std::string_view line) {
  const AuthorizedList one = ParseAuthorizedList(line);
  return one.keys.empty() ? "" : one.keys[0].key;
}

// The text without the lines of these keys, ending with a line end.
std::string Without(const std::string& text, const std::vector<AuthorizedKey>& keys) {
  std::string rest;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string key = KeyOf(line);
    const bool out = !key.empty() && std::any_of(keys.begin(), keys.end(), [&](const auto& k) { return k.key == key; });
    if (!out) rest += fmt::format("{}\n", line);
  }
  while (rest.ends_with("\n\n")) rest.pop_back();
  return rest == "\n" ? "" : rest;
}

bool IsMeantKey(const AuthorizedKey& key, const std::string& which) {
  return key.name == which || key.key == which || KeyFingerprint(key.key) == which ||
         (which.size() >= kLeastPrefix && key.key.starts_with(which));
}

}  // namespace

bool HasConfigFolder() {
  return EnvironmentVariable("XDG_CONFIG_HOME").starts_with('/') || EnvironmentVariable("HOME").starts_with('/');
}

std::string ConfigFolder() {
  // The base directory specification says to ignore relative paths.
  const std::string config = EnvironmentVariable("XDG_CONFIG_HOME");
  if (config.starts_with('/')) return config + "/hone";
  const std::string home = EnvironmentVariable("HOME");
  if (home.starts_with('/')) return home + "/.config/hone";
  throw Error(ExitCode::kBadConfig, "neither XDG_CONFIG_HOME nor HOME says where keys are; give their paths");
}

std::string DefaultKeyFolder() {
  const std::string given = EnvironmentVariable("HONE_KEYS");
  return given.empty() ? ConfigFolder() + "/tracker" : given;
}

std::string DefaultIdentityPath() {
  const std::string given = EnvironmentVariable("HONE_IDENTITY");
  return given.empty() ? ConfigFolder() + "/identity" : given;
}

std::string KnownTrackersPath() { return ConfigFolder() + "/known_trackers"; }

KeyPair MakeTrackerFolder(const KeyFolder& folder) {
  MakeKeyFolder(folder.path());
  const KeyPair keys = NewKeyPair();
  WriteIdentity(folder.secret(), keys, "tracker");
  if (!KeyFileIsThere(folder.list())) WriteKeyFile(folder.list(), kHeading, Secrecy::kSecret);
  return keys;
}

AuthorizedList ReadAuthorizedList(const KeyFolder& folder) { return ParseAuthorizedList(ReadList(folder)); }

void Authorize(const KeyFolder& folder, const AuthorizedKey& key) {
  const KeyFileLock lock(folder.lock());
  WriteKeyFile(folder.list(), Without(ReadList(folder), {key}) + ToLine(key) + "\n", Secrecy::kSecret);
}

std::vector<AuthorizedKey> Revoke(const KeyFolder& folder, const std::string& which) {
  const KeyFileLock lock(folder.lock());
  const std::string text = ReadList(folder);
  std::vector<AuthorizedKey> out = ParseAuthorizedList(text).keys;
  std::erase_if(out, [&](const AuthorizedKey& key) { return !IsMeantKey(key, which); });
  if (!out.empty()) WriteKeyFile(folder.list(), Without(text, out), Secrecy::kSecret);
  return out;
}

}  // namespace hone
