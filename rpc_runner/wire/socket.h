// Frames over ZeroMQ. The only place that knows the library, with the settings of docs/protocol.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/sender.h"

namespace hone {

// Throws Error(kBadConfig) unless the address is "tcp://" with a loopback host: without keys nobody else may reach us.
void RequireLoopback(std::string_view address);
// A name that nobody else has: 32 hex digits from the system's random source.
std::string NewRandomName();

// Owns the library's I/O thread. Must outlive its sockets.
class SocketContext {
 public:
  SocketContext();
  ~SocketContext();
  SocketContext(const SocketContext&) = delete;
  SocketContext& operator=(const SocketContext&) = delete;
  void* raw() const { return context_; }

 private:
  void* context_;
};

// A ROUTER, which names its peers, or a DEALER, whose peer name is empty. Used by one thread at a time.
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

  // Returns the address with its port. Throws Error: kBadConfig (not loopback), kIo (taken, malformed).
  std::string Bind(const std::string& address);
  // Connects in the background and again when the connection breaks. Throws Error(kBadConfig) as above or when
  // malformed.
  void Connect(const std::string& address);
  // False when the peer cannot be reached or its queue is full: never waits.
  bool Send(const std::string& peer, const Frame& frame);
  // What became of bytes that were to be sent.
  enum class Sent { kYes, kFull, kUnreachable };
  // One encoded frame, as it is; `bytes` may be large and are not copied. They are only gone when the answer is kYes.
  Sent SendBytes(const std::string& peer, std::string& bytes);
  // The next message; false when none waits. Messages with more parts than they should have are passed over.
  bool Receive(Message* message);
  void* raw() const { return socket_; }

 private:
  const Kind kind_;
  void* socket_;
};

// Waits until a socket or a descriptor (-1: none) may be read, at most timeout_ns.
void WaitForAny(const std::vector<const Socket*>& sockets, int fd, int64_t timeout_ns);

}  // namespace hone
