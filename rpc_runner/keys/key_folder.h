// The places of keys. A tracker's folder has its secret and public key, the list of admitted keys, open enrolments and
// the audit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// $HONE_KEYS, otherwise tracker/ in the user's settings folder (ConfigFolder).
std::string DefaultKeyFolder();
// $HONE_IDENTITY, otherwise `identity` in ConfigFolder.
std::string DefaultIdentityPath();
// `known_trackers` in ConfigFolder.
std::string KnownTrackersPath();
// $XDG_CONFIG_HOME/hone, otherwise ~/.config/hone. Throws Error(kBadConfig) if neither is known.
std::string ConfigFolder();
// Whether ConfigFolder would succeed.
bool HasConfigFolder();

// The paths within a folder; does not access the files.
class KeyFolder {
 public:
  explicit KeyFolder(const std::string& path) : path_(path) {}
  const std::string& path() const { return path_; }
  std::string secret() const { return path_ + "/secret"; }
  std::string list() const { return path_ + "/authorized_keys"; }
  std::string enrolments() const { return path_ + "/enrolments"; }
  std::string audit() const { return path_ + "/audit.jsonl"; }
  // Hold this lock while changing the list or the enrolments.
  std::string lock() const { return path_ + "/.lock"; }

 private:
  std::string path_;
};

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
