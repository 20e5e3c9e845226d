// The places of a program's keys, as its options say.
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

}  // namespace hone
