// Pages for monitoring over HTTP, on the loopback device alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rpc_runner/tracker/listening_socket.h"

struct MHD_Daemon;

namespace hone {

// Answers GET with one short text and closes; every other request, and one for another machine's name, with an error.
// At most 16 connections at once, of
// which none may be silent for 2 s. Does all its work in Serve, in the caller's thread.
class HttpPage {
 public:
  struct Answer {
    int status = 200;  // an HTTP status
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
  int fd() const;
  // Takes what has come and hangs up on the silent; never waits. To be called about once a second at least.
  void Serve();
  uint16_t port() const { return socket_.port(); }

 private:
  const ListeningSocket socket_;
  const PageAt page_at_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace hone
