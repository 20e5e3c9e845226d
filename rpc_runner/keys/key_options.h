// Where a program finds its keys, as its options say.
#pragma once

#include <string>

namespace hone {

// Of whoever connects to a tracker.
struct ClientKeys {
  std::string
      identity;  // a file with our secret key; empty: the default one (DefaultIdentityPath), where keys are used
  std::string server_key;  // the tracker's public key or a file with it; empty: what known_trackers says of its address
};

// Of a tracker.
struct ServerKeys {
  std::string folder;  // see KeyFolder; empty: no keys, and loopback alone
  std::string audit;   // a file; empty: the folder's own, and without a folder none
};

}  // namespace hone
