#include "rpc_runner/tracker/http_page.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "rpc_runner/wire/address.h"

namespace hone {

bool IsLoopbackHost(const std::string& host) {
  if (host.empty()) return false;
  try {
    const bool has_port = host.rfind(':') != host.npos && host.back() != ']';
    return ParseAddress("tcp://" + host + (has_port ? "" : ":80")).is_loopback;
  } catch (const Error&) {
    return false;
  }
}

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

constexpr unsigned kMostConnections = 16;
constexpr unsigned kMostSilentSeconds = 2;
constexpr size_t kMostRequestBytes = 4096;

Address Loopback(const std::string& text) {
  try {
    const Address address = ParseBindAddress("tcp://" + text);
    if (address.is_loopback) return address;
  } catch (const Error&) {
    // Reported below, in terms of this option.
  }
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} is not a loopback address and a port; 127.0.0.1:9191 would be right", text));
}

// The requested page, if the request may be answered.
HttpPage::Answer AnswerTo(MHD_Connection* connection, const char* path, const char* method,
                          const HttpPage::PageAt& page_at) {
  if (std::string_view(method) != MHD_HTTP_METHOD_GET) {
    return {MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics would be right\n"};
  }
  const char* const host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  if (!IsLoopbackHost(host == nullptr ? "" : host)) {
    return {MHD_HTTP_FORBIDDEN,
            "this page is for this machine alone: http://127.0.0.1 or http://localhost would be right\n"};
  }
  return page_at(path);
}

// Keeps other sites from framing or reading the page, and browsers from reading it as anything but text.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
};

MHD_Result Respond(void* page_at, MHD_Connection* connection, const char* path, const char* method,
                   const char* /*version*/, const char* /*upload*/, size_t* /*upload_bytes*/, void** /*state*/) {
  HttpPage::Answer answer = AnswerTo(connection, path, method, *static_cast<const HttpPage::PageAt*>(page_at));
  MHD_Response* response =
      MHD_create_response_from_buffer(answer.text.size(), answer.text.data(), MHD_RESPMEM_MUST_COPY);
  for (const auto& [name, value] : kHeaders) MHD_add_response_header(response, name, value);
  const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return result;
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

HttpPage::HttpPage(const std::string& address, PageAt page_at)
    : socket_(Loopback(address)), page_at_(std::move(page_at)) {
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL, 0, nullptr, nullptr, &Respond, const_cast<PageAt*>(&page_at_),
                             MHD_OPTION_LISTEN_SOCKET, socket_.fd(), MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                             MHD_OPTION_CONNECTION_TIMEOUT, kMostSilentSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                             kMostRequestBytes, MHD_OPTION_END);
  if (daemon_ == nullptr) throw Error(ExitCode::kIo, "the system gives no event descriptor");
}

HttpPage::~HttpPage() {
  // Keeps the library from closing the socket, which this object owns.
  MHD_quiesce_daemon(daemon_);
  MHD_stop_daemon(daemon_);
}

int HttpPage::fd() const { return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd; }

void HttpPage::Serve() { MHD_run(daemon_); }

}  // namespace hone
