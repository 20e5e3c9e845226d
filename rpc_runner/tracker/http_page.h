// Pages for monitoring over HTTP, on the loopback device alone.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

namespace hone {

// Answers GET with one short text and closes; every other request with an error. At most 16 connections at once, 4 KiB
// and 2 s for a request. Does all its work in Serve, in the caller's thread.
class HttpPage {
 public:
  struct Answer {
    int status = 200;  // 200 or 404
    std::string text;
  };
  using PageAt = std::function<Answer(const std::string& path)>;

  // "127.0.0.1:PORT" or "[::1]:PORT"; port 0 picks one. Throws Error: kBadConfig (not loopback, malformed), kIo
  // (taken).
  HttpPage(const std::string& address, PageAt page_at);
  ~HttpPage();
  HttpPage(const HttpPage&) = delete;
  HttpPage& operator=(const HttpPage&) = delete;

  // Readable when Serve has something to do.
  int fd() const { return epoll_; }
  // Takes what has come; never waits.
  void Serve(int64_t now_ns);
  int port() const { return port_; }

 private:
  struct Connection {
    int fd = -1;
    int64_t since_ns = 0;
    std::string request, answer;
    size_t sent = 0;
  };
  void Listen(const std::string& address);
  void AcceptAll(int64_t now_ns);
  bool Advance(Connection& connection);  // false: it is over
  void Watch(int fd, bool writing, bool is_new);

  const PageAt page_at_;
  int listener_ = -1, epoll_ = -1, port_ = 0;
  std::list<Connection> connections_;
};

}  // namespace hone
