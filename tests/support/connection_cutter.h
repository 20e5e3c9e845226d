// A PostgreSQL server's connections, each ended at a message that a test chooses.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace hone {

// Listens on a Unix socket in front of a server and forwards both sides' messages, one connection after the other.
class ConnectionCutter {
 public:
  enum class Message : bool { kLost, kPassedOn };

  // `server` is an address of PostgresServer, which must outlive the cutter.
  explicit ConnectionCutter(const std::string& server);
  ~ConnectionCutter();
  ConnectionCutter(const ConnectionCutter&) = delete;
  ConnectionCutter& operator=(const ConnectionCutter&) = delete;

  // The address of the same database through the cutter.
  const std::string& address() const { return address_; }
  // The next connection ends at the client's message of this number, counting the startup message as 1. The message is
  // lost, or it is passed on and its answer is lost.
  void CutNextAt(int message, Message last);
  // Whether that cut has happened.
  bool cut() const { return cut_; }

 private:
  void Serve();
  void PassOn(int client, int server);
  // Passes on the whole messages among the client's bytes. Returns false when the connection must end.
  bool PassMessages(int server);

  std::string folder_, server_socket_, address_;
  int fd_ = -1;
  std::atomic<int> cut_at_ = 0;
  std::atomic<Message> last_ = Message::kLost;
  std::atomic<bool> cut_ = false;
  std::string pending_;  // bytes from the client
  int messages_ = 0;
  std::thread thread_;
};

}  // namespace hone
