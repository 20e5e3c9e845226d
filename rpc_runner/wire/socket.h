// Frames over ZeroMQ. The only place that knows the library, with the settings of docs/protocol.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/wire/address.h"
#include "rpc_runner/wire/handshake_watch.h"
#include "rpc_runner/wire/name_lookup.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/security.h"
#include "rpc_runner/wire/sender.h"

namespace hone {

// Throws Error(kBadConfig) unless one may listen there without keys: at an address of this machine's loopback.
void RequireLoopback(std::string_view address);
// A name that nobody else has: 32 hex digits from the system's random source.
std::string NewRandomName();

// Owns the library's I/O thread and the keys of its sockets. Must outlive its sockets.
class SocketContext {
 public:
  // Throws Error(kBadConfig) when keys are wanted and the library is older than 4.3.3, or has no CURVE.
  explicit SocketContext(Security security = {});
  ~SocketContext();
  SocketContext(const SocketContext&) = delete;
  SocketContext& operator=(const SocketContext&) = delete;
  void* raw() const { return context_; }
  const Security& security() const { return security_; }

 private:
  const Security security_;
  void* context_;
};

// A ROUTER, which names its peers, or a DEALER, whose peer name is empty. Used by one thread at a time. With a gate a
// ROUTER hears and answers only those whom the gate finds at that moment; the connections of others are closed.
class Socket {
 public:
  enum class Kind { kRouter, kDealer };
  struct Message {
    std::string peer;
    std::string bytes;
    Sender sender;
  };

  Socket(SocketContext& context, Kind kind);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Returns the address with its port. Throws Error: kBadConfig (malformed, or not loopback and without keys), kIo
  // (taken).
  std::string Bind(const std::string& address);
  // Connects in the background and again when the connection breaks. Throws Error(kBadConfig) as above.
  void Connect(const std::string& address);
  // False when the peer cannot be reached or its queue is full: never waits, never throws. Of a frame beyond the limits
  // a line goes to stderr and, from a ROUTER, an error frame to the peer.
  bool Send(const std::string& peer, const Frame& frame);
  // What became of bytes that were to be sent.
  enum class Sent { kYes, kFull, kUnreachable };
  // One encoded frame, as it is; `bytes` may be large and are not copied. They are only gone when the answer is kYes.
  Sent SendBytes(const std::string& peer, std::string& bytes);
  // The next message; false when none waits. One with more parts than it should have is passed over, and its connection
  // closed.
  bool Receive(Message* message);
  // Why the tracker that a DEALER connects to does not let it in, as one line; empty when it does, or nobody answers.
  // Known a twentieth of a second after the handshake, to whoever asks again.
  std::string Refusal();
  // From now on a DEALER's connection that is open and silent for so long is made anew, when it is asked for messages:
  // the other end may be gone though something on the way still answers for it.
  void ExpectWords(int64_t every_ns) { words_every_ns_ = every_ns; }
  // What waits to be sent is forgotten when the socket is closed.
  void ForgetUnsent();
  void* raw() const { return socket_; }

 private:
  struct Peer {
    std::string key;
    int fd = -1;  // of its connection when it was last heard
    int64_t heard_ns = 0;
  };
  void UseKeys();
  bool ReceiveAny(Message* message, void* part);
  bool TakeSender(Message* message, void* part);
  bool MaySendTo(const std::string& peer);
  void CloseRefused();
  void ForgetSilent(int64_t now_ns);
  void NoteFailures();
  void UseKindOfAddress();
  void LookUpAgain();
  void ConnectAgain();
  void LeaveSilent();

  const Kind kind_;
  const Security& security_;
  void* socket_;
  std::unique_ptr<HandshakeWatch> watch_;
  Address where_;        // that a DEALER connects to
  std::string address_;  // its text
  NameLookup lookup_;    // of it
  int64_t looked_up_ns_ = 0;
  int64_t again_ns_ = 0;               // when to connect again; 0: the library does
  std::map<std::string, Peer> peers_;  // of a ROUTER with a gate
  uint64_t generation_ = 0;            // of the gate when peers_ were last looked through
  int64_t forgot_ns_ = 0;
  int64_t looked_ns_ = 0;  // at the handshakes
  int64_t heard_ns_ = 0;
  int64_t words_every_ns_ = 0;  // 0: a DEALER waits for ever
};

// Waits until a socket or a descriptor (-1: none) may be read, at most timeout_ns. May return early: the library's own
// business wakes it too.
void WaitForAny(const std::vector<const Socket*>& sockets, int fd, int64_t timeout_ns);

}  // namespace hone
