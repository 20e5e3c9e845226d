// The trackers' public keys that this user trusts, as ssh's known_hosts: a line is ADDRESS KEY.
#pragma once

#include <string>

namespace hone {

// The key of the tracker at `address`; empty if none is known. Throws Error(kBadConfig) if the file exists and cannot
// be trusted, or if the address's line is damaged.
std::string FindKnownTracker(const std::string& path, const std::string& address);
// Writes the address's line, replacing an older one. Makes the folder. Throws Error as above, or kCannotCreate.
void AddKnownTracker(const std::string& path, const std::string& address, const std::string& key);

}  // namespace hone
