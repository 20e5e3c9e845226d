// What the sockets of a context prove to their peers and ask of them: ZeroMQ's CURVE. docs/security.md has the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rpc_runner/wire/sender.h"

namespace hone {

// Both Z85, 40 characters.
struct KeyPair {
  std::string public_key, secret_key;
  bool operator==(const KeyPair&) const = default;
};

// Who may come in to a server. Called by the thread of a socket and by that of the ZAP handler: thread-safe. Keys are
// public ones, in Z85.
class Gate {
 public:
  virtual ~Gate() = default;
  // Who has the key, and what it may do now. Nullopt: it is not admitted, or not any more.
  virtual std::optional<Sender> Find(const std::string& key) = 0;
  // Changes whenever Find may have another answer for somebody.
  virtual uint64_t generation() const = 0;
  // Takes the message of a peer that came in with a one-time key (docs/security.md, Enrolment): what to answer. Nullopt
  // when the key is not one.
  virtual std::optional<std::string> Enrol(const std::string& key, std::string_view message,
                                           const std::string& address) = 0;
  // A connection ended before it had shown any key: `why` in a few words.
  virtual void NoteRefusal(const std::string& address, const std::string& why) = 0;
  // A connection was closed because its key lost its place.
  virtual void NoteDropped(const std::string& key) = 0;
};

// Default: no keys, and nobody but loopback.
struct Security {
  KeyPair own;
  std::string server_key;  // of whom DEALERs connect to; empty: they use no keys
  Gate* gate = nullptr;    // of ROUTERs, must outlive their context; null: they use no keys
  // Where the two keys came from, for messages.
  std::string identity_file, server_key_source;
};

}  // namespace hone
