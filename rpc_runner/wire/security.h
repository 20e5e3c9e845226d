// ZeroMQ's CURVE: what the sockets of a context prove to their peers and ask of them. docs/why/security.md has the
// reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// docs/why/security.md says what each role may do.
enum class Role : uint8_t { kViewer = 1, kTuner = 2, kRunner = 4, kAdmin = 8 };

// The sender of a message, as far as the transport could prove it. Without keys (loopback only), senders have no name
// and all rights.
struct Sender {
  std::string name;    // from the list of keys; empty without keys
  uint8_t roles = 15;  // the sum of the key's roles

  bool May(Role role) const { return (roles & static_cast<uint8_t>(role)) != 0; }
};

// A pair of keys, both Z85 with 40 characters.
struct KeyPair {
  std::string public_key, secret_key;
  bool operator==(const KeyPair&) const = default;
};

// Decides who may connect to a server. Thread-safe, since a socket's thread and the ZAP handler's thread call it. Keys
// are public ones, in Z85.
class Gate {
 public:
  virtual ~Gate() = default;
  // The owner of the key and its present rights. Nullopt if it is not admitted, or has lost its place.
  virtual std::optional<Sender> Find(const std::string& key) = 0;
  // Changes whenever an answer of Find may change.
  virtual uint64_t generation() const = 0;
  // Handles the message of a peer that came with a one-time key (docs/why/security.md, Enrolment) and returns the
  // answer. Nullopt if the key is not one.
  virtual std::optional<std::string> Enrol(const std::string& key, std::string_view message,
                                           const std::string& address) = 0;
  // A connection ended before it had shown a key: `why` in a few words.
  virtual void NoteRefusal(const std::string& address, const std::string& why) = 0;
  // A connection was closed because its key lost its place.
  virtual void NoteDropped(const std::string& key) = 0;
};

// By default there are no keys, and only loopback is allowed.
struct Security {
  KeyPair own;
  std::string server_key;  // the server that DEALERs connect to; empty: they use no keys
  Gate* gate = nullptr;    // for ROUTERs, must outlive their context; null: they use no keys
  // The sources of the two keys, for messages.
  std::string identity_file, server_key_source;
};

}  // namespace hone
