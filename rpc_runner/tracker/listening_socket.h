// A TCP port that serves viewers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rpc_runner/wire/address.h"

namespace hone {

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

}  // namespace hone
