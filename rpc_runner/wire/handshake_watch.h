// How the handshakes of a socket's connections end: what the library tells nobody else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hone {

class SocketContext;

// Used by the socket's thread. Begins before the socket binds or connects and ends before it is closed.
class HandshakeWatch {
 public:
  HandshakeWatch(SocketContext& context, void* socket);
  ~HandshakeWatch();
  HandshakeWatch(const HandshakeWatch&) = delete;
  HandshakeWatch& operator=(const HandshakeWatch&) = delete;

  enum class Trouble {
    kNone,
    kNotAdmitted,   // the server's list has no place for our key
    kNotEncrypted,  // one of us uses keys and the other one does not
    kUnfinished,    // the other side does not go on: it has no such key, or is something else altogether
  };
  struct Failure {
    Trouble trouble = Trouble::kNone;
    std::string address;    // of the peer, as "10.0.0.7"; empty: not known
    bool is_final = false;  // the library connects no more
  };
  // Those since the last call.
  std::vector<Failure> Take();
  // Of a socket with one connection: when its handshake was finished; 0: it is not open.
  int64_t open_since_ns() const { return open_since_ns_; }
  // Of the connections since the last handshake that was finished.
  Trouble last() const { return last_; }
  int failures() const { return failures_; }

 private:
  bool ReceiveEvent();
  void OnEvent(unsigned event, int value);
  void Fail(Trouble trouble, bool is_final);
  void Ended(int fd);

  void* const socket_;
  void* events_ = nullptr;
  std::map<int, std::string> addresses_;  // of connections that were accepted, by descriptor
  std::vector<Failure> failed_;
  bool ending_ = false;  // the last one of failed_ does not know its address yet
  Trouble last_ = Trouble::kNone;
  int failures_ = 0;
  int64_t open_since_ns_ = 0;
};

}  // namespace hone
