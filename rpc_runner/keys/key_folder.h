// Where keys lie. A tracker's folder: its secret and public key, the list of those it admits, open enrolments, the
// audit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// $HONE_KEYS, else tracker/ in the user's own folder for settings (ConfigFolder).
std::string DefaultKeyFolder();
// $HONE_IDENTITY, else `identity` there.
std::string DefaultIdentityPath();
// `known_trackers` there.
std::string KnownTrackersPath();
// $XDG_CONFIG_HOME/hone, else ~/.config/hone. Throws Error(kBadConfig) when neither is known.
std::string ConfigFolder();
// Whether one of them is.
bool HasConfigFolder();

// The paths within a folder; nothing is looked at.
class KeyFolder {
 public:
  explicit KeyFolder(const std::string& path) : path_(path) {}
  const std::string& path() const { return path_; }
  std::string secret() const { return path_ + "/secret"; }
  std::string list() const { return path_ + "/authorized_keys"; }
  std::string enrolments() const { return path_ + "/enrolments"; }
  std::string audit() const { return path_ + "/audit.jsonl"; }
  // To be held while the list or the enrolments are changed.
  std::string lock() const { return path_ + "/.lock"; }

 private:
  std::string path_;
};

// Makes the folder with a new secret and an empty list. Throws Error(kCannotCreate), also when it has a secret.
KeyPair MakeTrackerFolder(const KeyFolder& folder);
// The list as it stands. Throws Error(kBadConfig) when it cannot be read.
AuthorizedList ReadAuthorizedList(const KeyFolder& folder);
// Adds the key, or replaces the line that it has; other lines and comments stay as they are. Throws Error: kBadConfig
// as above, kCannotCreate.
void Authorize(const KeyFolder& folder, const AuthorizedKey& key);
// Takes out every key that has this name, is this key, begins as this (8 characters at least) or has this fingerprint;
// those that were taken out.
std::vector<AuthorizedKey> Revoke(const KeyFolder& folder, const std::string& which);

}  // namespace hone
