// A TCP port to serve viewers at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rpc_runner/wire/address.h"

namespace hone {

// "HOST:PORT": an IPv4 address, an IPv6 one in brackets, localhost, or * for all of this machine's; port 0 or * is any
// free one. Throws Error(kBadConfig).
Address ParseHttpBind(std::string_view text);

// A listening socket, which does not block and whose connections have small send buffers: what a viewer does not read
// waits there. Closed with the object.
class ListeningSocket {
 public:
  // Throws Error(kIo) when it cannot listen there, as when the port is taken.
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
