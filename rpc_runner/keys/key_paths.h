// The places of keys: those that a program's options name, the user's own, and the files of a tracker's folder.
#pragma once

#include <string>

namespace hone {

// The keys of a program that connects to a tracker.
struct ClientKeys {
  // A file with this program's secret key; empty: the default one (DefaultIdentityPath), if keys are used.
  std::string identity;
  std::string server_key;  // the tracker's public key or a file with it; empty: known_trackers' key for its address
};

// The keys of a tracker.
struct ServerKeys {
  std::string folder;  // see KeyFolder; empty: no keys, and only loopback
  std::string audit;   // a file; empty: the folder's own, or none without a folder
};

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

// The paths within a tracker's folder: its secret and public key, the list of admitted keys, open enrolments and the
// audit. Does not access the files.
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

}  // namespace hone
