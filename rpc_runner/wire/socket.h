// Frames over ZeroMQ, with the settings of docs/reference/protocol.md. Only wire/ and keys/ include the library's
// header.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/wire/address.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/raw_socket.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// Throws Error(kBadConfig) unless the address is on this machine's loopback, where listening needs no keys.
void RequireLoopback(std::string_view address);
// A unique name: 32 hex digits from the system's random source.
std::string NewRandomName();

// Owns the library's I/O thread and the keys of its sockets. Must outlive its sockets.
class SocketContext {
 public:
  // Throws Error(kBadConfig) if keys are wanted and the library is older than 4.3.3, or has no CURVE.
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

// A ROUTER, which names its peers, or a DEALER, whose peer name is empty. Used by one thread at a time. With a gate, a
// ROUTER only exchanges messages with peers that the gate finds at that moment, and closes other connections.
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

  // Returns the address with its port. Throws Error: kBadConfig if it is malformed, or not loopback without keys; kIo
  // if it is taken.
  std::string Bind(const std::string& address);
  // Connects in the background, and again if the connection breaks. Throws Error(kBadConfig) as above.
  void Connect(const std::string& address);
  // Returns false if the peer cannot be reached or its queue is full. Never waits, never throws. A frame beyond the
  // limits is reported on stderr and, from a ROUTER, with an error frame to the peer.
  bool Send(const std::string& peer, const Frame& frame);
  // The outcome of SendBytes.
  enum class Sent { kYes, kFull, kUnreachable };
  // Sends one encoded frame unchanged; `bytes` may be large and are not copied. They are only moved from if the result
  // is kYes.
  Sent SendBytes(const std::string& peer, std::string& bytes);
  // Takes the next message; false if none waits. A message with too many parts is dropped, and its connection closed.
  bool Receive(Message* message);
  // Why the tracker that a DEALER connects to refuses it, in one line. Empty if it does not, or does not answer. Known
  // a twentieth of a second after the handshake, so ask again.
  std::string Refusal();
  // Makes a DEALER reconnect if its open connection was silent for so long; this is checked when it is asked for
  // messages. The peer may be gone although something on the way still answers for it.
  void ReconnectIfSilent(int64_t after_ns) { most_silence_ns_ = after_ns; }
  // Drops unsent messages when the socket is closed.
  void DropUnsent();
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
  void ForgetSilentPeers(int64_t now_ns);
  void NoteFailures();
  void UseKindOfAddress();
  void RefreshLookup();
  void ConnectAgain();
  void ReconnectSilent();

  const Kind kind_;
  const Security& security_;
  void* socket_;
  std::unique_ptr<HandshakeWatch> watch_;
  Address where_;        // the address that a DEALER connects to
  std::string address_;  // its text
  NameLookup lookup_;    // the lookup of its host
  int64_t looked_up_ns_ = 0;
  int64_t again_ns_ = 0;               // when to reconnect; 0: the library does it
  std::map<std::string, Peer> peers_;  // of a ROUTER with a gate
  uint64_t generation_ = 0;            // the gate's, when peers_ was last checked
  int64_t forgot_ns_ = 0;
  int64_t looked_ns_ = 0;  // when the handshakes were last checked
  int64_t heard_ns_ = 0;
  int64_t most_silence_ns_ = 0;  // 0: a DEALER waits without limit
};

// Waits at most timeout_ns until a socket or a descriptor (-1: none) may be read. May return early, because the
// library's internal events wake it too.
void WaitForAny(const std::vector<const Socket*>& sockets, int fd, int64_t timeout_ns);

}  // namespace hone
