// The sender of a message, as far as the transport could prove it. docs/why/security.md says what each role may do.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

enum class Role : uint8_t { kViewer = 1, kTuner = 2, kRunner = 4, kAdmin = 8 };

// Without keys (loopback only), senders have no name and all rights.
struct Sender {
  std::string name;    // from the list of keys; empty without keys
  uint8_t roles = 15;  // the sum of the key's roles

  bool May(Role role) const { return (roles & static_cast<uint8_t>(role)) != 0; }
};

}  // namespace hone
