// What a program that connects to a tracker proves, and asks of it.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/keys/key_options.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// Without keys when the address is loopback and neither the options nor known_trackers name a key of the tracker.
// Throws Error(kBadConfig) when an address is malformed, the tracker's key is not known, or our own cannot be trusted.
Security ClientSecurity(const ClientKeys& keys, const std::string& tracker);

struct Enrolled {
  std::string name, roles;  // as the tracker wrote them into its list
  std::string identity;     // the file with our key
  std::string public_key;
};
// Brings the key of keys.identity, which is made where there is none, to a tracker under a one-time code, and writes
// the tracker's key into known_trackers. Throws Error: kUsage (a mistyped code), kNotAuthorised (used or over, or not
// of this tracker), kNoRunner (nobody answers), kBadConfig, kCannotCreate.
Enrolled EnrolAt(const std::string& tracker, const std::string& code, const ClientKeys& keys,
                 int64_t timeout_ns = 10'000'000'000);

}  // namespace hone
