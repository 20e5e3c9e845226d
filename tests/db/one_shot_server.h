// A minimal web server, for tests of code that asks one.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hone {

// Reads the one request of each connection whole, answers it with the result of `answer`, and closes. Requests are
// numbered from 1. Answers come from a thread of its own.
class OneShotServer {
 public:
  using Answer = std::function<std::string(int number, const std::string& request)>;
  explicit OneShotServer(Answer answer);
  ~OneShotServer();
  OneShotServer(const OneShotServer&) = delete;
  OneShotServer& operator=(const OneShotServer&) = delete;
  // "http://127.0.0.1:PORT" followed by the path.
  std::string Url(const std::string& path = "/pack") const;
  std::vector<std::string> requests() const;

 private:
  void Serve();

  const Answer answer_;
  int fd_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace hone
