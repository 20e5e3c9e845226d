// The library's own sockets: their options, and how the handshakes of their connections end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hone {

// Sets an option. Unknown options are ignored.
void SetOption(void* socket, int option, int value);
// Throws Error(kBadConfig) if the text is not accepted as a key.
void SetText(void* socket, int option, const std::string& text);
// Returns 0 if there is no such option.
int OptionOf(void* socket, int option);
// Sets the limits of docs/reference/protocol.md: queue lengths, times and sizes, equal for all sockets.
void SetLimits(void* socket);
// Throws Error(kBadConfig) if the loaded library has no CURVE, or one with known flaws.
void RequireSafeLibrary();

class SocketContext;

// Watches how handshakes end, which the library otherwise does not report. Used by the socket's thread. Create it
// before the socket binds or connects, and destroy it before the socket is closed.
class HandshakeWatch {
 public:
  HandshakeWatch(SocketContext& context, void* socket);
  ~HandshakeWatch();
  HandshakeWatch(const HandshakeWatch&) = delete;
  HandshakeWatch& operator=(const HandshakeWatch&) = delete;

  enum class Trouble {
    kNone,
    kNotAdmitted,   // the server's list does not have this program's key
    kNotEncrypted,  // one side uses keys and the other does not
    kUnfinished,    // the peer does not go on: it lacks the key, or it is another kind of program
  };
  struct Failure {
    Trouble trouble = Trouble::kNone;
    std::string address;    // the peer's, as "10.0.0.7"; empty: unknown
    bool is_final = false;  // the library stops connecting
  };
  // The failures since the last call.
  std::vector<Failure> Take();
  // For a socket with one connection: when its handshake was finished; 0: it is not open.
  int64_t open_since_ns() const { return open_since_ns_; }
  // The last failure, and the number of failures, since the last finished handshake.
  Trouble last() const { return last_; }
  int failures() const { return failures_; }

 private:
  bool ReceiveEvent();
  void OnEvent(unsigned event, int value);
  void Fail(Trouble trouble, bool is_final);
  void Ended(int fd);

  void* const socket_;
  void* events_ = nullptr;
  std::map<int, std::string> addresses_;  // of accepted connections, by descriptor
  std::vector<Failure> failed_;
  bool ending_ = false;  // the last one of failed_ does not know its address yet
  Trouble last_ = Trouble::kNone;
  int failures_ = 0;
  int64_t open_since_ns_ = 0;
};

}  // namespace hone
