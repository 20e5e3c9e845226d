// HTTP for monitoring: the port that viewers connect to, the host that they ask for, and pages on the loopback device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "rpc_runner/wire/address.h"

struct MHD_Daemon;

namespace hone {

// Whether the header Host names this machine: "localhost" or a loopback address, with any port. Other names do not
// count, even if DNS resolves them to loopback. A page for this machine only must refuse other requests, because a
// hostile site's name could be pointed at it to read it.
bool IsLoopbackHost(const std::string& host);

// Parses "HOST:PORT". HOST is an IPv4 address, an IPv6 one in brackets, localhost, or * for all addresses of this
// machine. PORT 0 or * means any free one. Throws Error(kBadConfig).
Address ParseHttpBind(std::string_view text);

// A non-blocking listening socket whose connections have small send buffers, which hold what a viewer does not read.
// Closed with the object.
class ListeningSocket {
 public:
  // Throws Error(kIo) if it cannot listen there, for example because the port is taken.
  explicit ListeningSocket(const Address& address);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int fd() const { return fd_; }
  uint16_t port() const { return port_; }

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

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
