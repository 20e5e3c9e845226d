#include "rpc_runner/tracker/listening_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/text/printable.h"

namespace hone {
namespace {

constexpr int kBacklog = 64;
constexpr int kSendBufferBytes = 128 << 10;
constexpr size_t kMostShownBytes = 200;

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

SocketAddress SocketAddressOf(const Address& address) {
  SocketAddress result;
  auto* four = reinterpret_cast<sockaddr_in*>(&result.bytes);
  auto* six = reinterpret_cast<sockaddr_in6*>(&result.bytes);
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  if (host != "*" && inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(address.port);
    result.size = sizeof *four;
    return result;
  }
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(address.port);
  six->sin6_addr = in6addr_any;
  if (host != "*") inet_pton(AF_INET6, host.c_str(), &six->sin6_addr);
  result.size = sizeof *six;
  return result;
}

uint16_t PortOf(int fd) {
  SocketAddress bound;
  bound.size = sizeof bound.bytes;
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound.bytes), &bound.size);
  // The port has the same offset for both kinds.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound.bytes)->sin_port);
}

}  // namespace

Address ParseHttpBind(std::string_view text) {
  try {
    return ParseBindAddress("tcp://" + std::string(text));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{} is not an address to serve at; IP:PORT with a port of 1 to 65535 or * "
                                          "would be right, as 127.0.0.1:9192",
                                          Shortened(text, kMostShownBytes)));
  }
}

ListeningSocket::ListeningSocket(const Address& address) {
  SocketAddress where = SocketAddressOf(address);
  const int on = 1, off = 0;
  fd_ = socket(where.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0 && address.host == "*") {
    // The machine has no IPv6.
    where = SocketAddressOf({"0.0.0.0", address.port, true, false});
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }
  if (fd_ >= 0) {
    setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd_, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
    // "*" means all of the machine's addresses, of both kinds.
    if (where.bytes.ss_family == AF_INET6 && address.host == "*")
      setsockopt(fd_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (fd_ < 0 || bind(fd_, reinterpret_cast<const sockaddr*>(&where.bytes), where.size) != 0 ||
      listen(fd_, kBacklog) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) close(fd_);
    throw Error(ExitCode::kIo, fmt::format("cannot listen at {}: {}; another port would be right",
                                           address.ToText().substr(std::strlen("tcp://")), why));
  }
  port_ = PortOf(fd_);
}

ListeningSocket::~ListeningSocket() { close(fd_); }

}  // namespace hone
