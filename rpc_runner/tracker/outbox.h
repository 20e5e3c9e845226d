// Frames that a connection cannot take at once, kept in order and within limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "rpc_runner/wire/socket.h"

namespace hone {

// Not thread-safe.
class Outbox {
 public:
  // The most that may wait, as in docs/reference/protocol.md's Relay.
  struct Limits {
    size_t frames = 256;                   // for one connection
    size_t bytes = size_t{64} << 20;       // for one connection; a single frame of any size may wait
    size_t all_bytes = size_t{256} << 20;  // for all connections
  };

  // Sends without waiting: Socket::SendBytes, or a fake in tests.
  using SendNow = std::function<Socket::Sent(const std::string& peer, std::string& bytes)>;
  explicit Outbox(SendNow send_now) : Outbox(std::move(send_now), Limits()) {}
  Outbox(SendNow send_now, const Limits& limits) : send_now_(std::move(send_now)), limits_(limits) {}

  // Returns false if the frame was dropped, because the peer is gone or too much waits already. `bytes` is only moved
  // from if true.
  bool Send(const std::string& peer, std::string& bytes);
  // Tries to send waiting frames. Call it often while there are any.
  void Flush();
  bool empty() const { return waiting_.empty(); }
  size_t bytes() const { return bytes_; }
  int64_t dropped() const { return dropped_; }

 private:
  struct Queue {
    std::deque<std::string> frames;
    size_t bytes = 0;
  };
  bool HasRoom(const std::string& peer, size_t bytes) const;

  const SendNow send_now_;
  const Limits limits_;
  std::map<std::string, Queue> waiting_;
  size_t bytes_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace hone
