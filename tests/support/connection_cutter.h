// A PostgreSQL server's connections, each ended at a message that a test counts to.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace hone {

// Stands on a Unix socket in front of a server and passes on what both sides say, one connection after the other.
class ConnectionCutter {
 public:
  enum class Message : bool { kLost, kPassedOn };

  // `server` is an address of PostgresServer, which must outlive the cutter.
  explicit ConnectionCutter(const std::string& server);
  ~ConnectionCutter();
  ConnectionCutter(const ConnectionCutter&) = delete;
  ConnectionCutter& operator=(const ConnectionCutter&) = delete;

  // The address of the same database through here.
  const std::string& address() const { return address_; }
  // The next connection ends with the client's message of this number (the first is that which starts it): it is lost,
  // or passed on and its answer lost.
  void CutNextAt(int message, Message last);
  // Whether that has happened.
  bool cut() const { return cut_; }

 private:
  void Serve();
  void PassOn(int client, int server);
  // Passes on the whole messages among the client's bytes. False when the connection is to end.
  bool PassMessages(int server);

  std::string folder_, server_socket_, address_;
  int fd_ = -1;
  std::atomic<int> cut_at_ = 0;
  std::atomic<Message> last_ = Message::kLost;
  std::atomic<bool> cut_ = false;
  std::string pending_;  // of the client
  int messages_ = 0;
  std::thread thread_;
};

}  // namespace hone
