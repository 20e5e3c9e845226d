// Pages for monitoring over HTTP, only on the loopback device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rpc_runner/tracker/listening_socket.h"

struct MHD_Daemon;

namespace hone {

// Answers GET with one short text and closes. Other requests, and those for another machine's name, get an error. At
// most 16 connections at once, each silent for at most 2 s. Does all its work in Serve, in the caller's thread.
class HttpPage {
 public:
  struct Answer {
    int status = 200;  // an HTTP status
    std::string text;
  };
  using PageAt = std::function<Answer(const std::string& path)>;

  // Listens at "127.0.0.1:PORT" or "[::1]:PORT"; port 0 picks a free one. Throws Error: kBadConfig if it is not
  // loopback or malformed, kIo if it is taken.
  HttpPage(const std::string& address, PageAt page_at);
  ~HttpPage();
  HttpPage(const HttpPage&) = delete;
  HttpPage& operator=(const HttpPage&) = delete;

  // Readable if Serve has something to do.
  int fd() const;
  // Handles what has arrived and closes silent connections; never waits. Call it at least about once a second.
  void Serve();
  uint16_t port() const { return socket_.port(); }

 private:
  const ListeningSocket socket_;
  const PageAt page_at_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace hone
