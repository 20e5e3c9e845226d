// The list of keys that a tracker admits, one per line, in the tracker's folder; docs/howto/fleet.md has the form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/wire/security.h"

namespace hone {

struct AuthorizedKey {
  std::string key;  // public, Z85
  uint8_t roles = 0;
  std::string name;
  int64_t expires_s = 0;  // since 1970, UTC: not admitted from then on; 0: never expires
  bool operator==(const AuthorizedKey&) const = default;
};

struct AuthorizedList {
  std::vector<AuthorizedKey> keys;
  // Lines that admit no key, counted from 1, and what is wrong with each.
  struct Fault {
    int line = 0;
    std::string why;
  };
  std::vector<Fault> faults;
};

// Never fails: a damaged line, and a line whose key an earlier line has, is a fault.
AuthorizedList ParseAuthorizedList(std::string_view text);
// One line without its line end.
std::string ToLine(const AuthorizedKey& key);

// Roles as "tuner,viewer"; empty if none.
std::string RolesText(uint8_t roles);
// Parses roles between commas, each at most once; nullopt for anything else.
std::optional<uint8_t> ParseRoles(std::string_view text);
// Whether the text has 1 to 64 letters, digits and . _ - @.
bool IsKeyName(std::string_view text);
// Parses "2027-01-31" (its first second) or "2027-01-31T12:00:00Z", in UTC; nullopt for anything else.
std::optional<int64_t> ParseUtcTime(std::string_view text);
std::string UtcTimeText(int64_t s);

// Makes the folder with a new secret and an empty list. Throws Error(kCannotCreate), also if it has a secret already.
KeyPair MakeTrackerFolder(const KeyFolder& folder);
// Reads the list. Throws Error(kBadConfig) if it cannot be read.
AuthorizedList ReadAuthorizedList(const KeyFolder& folder);
// Adds the key or replaces its line; other lines and comments stay as they are. Throws Error: kBadConfig as above,
// kCannotCreate.
void Authorize(const KeyFolder& folder, const AuthorizedKey& key);
// Removes every key that has this name, is this key, begins with this text (at least 8 characters) or has this
// fingerprint. Returns the removed keys.
std::vector<AuthorizedKey> Revoke(const KeyFolder& folder, const std::string& which);

}  // namespace hone
