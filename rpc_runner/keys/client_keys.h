// The keys of a program that connects to a tracker, and the trackers that it knows.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// The security of a connection to the tracker: without keys if the address is loopback and neither the options nor
// known_trackers name a key of the tracker. Throws Error(kBadConfig) if an address is malformed, the tracker's key is
// not known, or this program's own key cannot be trusted.
Security ClientSecurity(const ClientKeys& keys, const std::string& tracker);

struct Enrolled {
  std::string name, roles;  // as the tracker wrote them into its list
  std::string identity;     // the file with this program's key
  std::string public_key;
};
// Enrols the key of keys.identity at a tracker under a one-time code, and writes the tracker's key into known_trackers.
// Makes the key if there is none. Throws Error:
// - kUsage for a mistyped code;
// - kNotAuthorised for a code that is used, expired or of another tracker;
// - kNoRunner if no tracker answers;
// - kBadConfig, kCannotCreate.
Enrolled EnrolAt(const std::string& tracker, const std::string& code, const ClientKeys& keys,
                 int64_t timeout_ns = 10'000'000'000);

// `path` lists the trackers' public keys that this user trusts, as ssh's known_hosts: a line is ADDRESS KEY. Returns
// the key of the tracker at `address`; empty if none is known. Throws Error(kBadConfig) if the file exists and cannot
// be trusted, or if the address's line is damaged.
std::string FindKnownTracker(const std::string& path, const std::string& address);
// Writes the address's line, replacing an older one. Makes the folder. Throws Error as above, or kCannotCreate.
void AddKnownTracker(const std::string& path, const std::string& address, const std::string& key);

}  // namespace hone
