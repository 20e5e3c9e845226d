#include "rpc_runner/tracker/http_page.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kMostConnections = 16;
constexpr size_t kMostRequestBytes = 4096;
constexpr int64_t kMostNs = 2'000'000'000;

[[noreturn]] void BadAddress(const std::string& address) {
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} is not a loopback address and a port; 127.0.0.1:9191 would be right", address));
}

std::string HttpText(int status, const std::string& text) {
  const char* reason = status == 200 ? "OK" : status == 404 ? "Not Found" : "Bad Request";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, reason, text.size(), text);
}

// The path of "GET /path HTTP/1.1"; empty when it is no such line.
std::string PathOf(const std::string& request) {
  const size_t end = request.find(' ', 4);
  if (request.compare(0, 4, "GET ") != 0 || end == request.npos) return "";
  if (request.compare(end + 1, 7, "HTTP/1.") != 0) return "";
  return request.substr(4, std::min(end, request.find('?')) - 4);
}

}  // namespace

HttpPage::HttpPage(const std::string& address, PageAt page_at) : page_at_(std::move(page_at)) {
  Listen(address);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) throw Error(ExitCode::kIo, "the system gives no event descriptor");
  Watch(listener_, false, true);
}

HttpPage::~HttpPage() {
  for (const Connection& connection : connections_) close(connection.fd);
  if (epoll_ >= 0) close(epoll_);
  if (listener_ >= 0) close(listener_);
}

void HttpPage::Listen(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == address.npos) BadAddress(address);
  const std::string host = address.substr(0, colon);
  uint16_t port = 0;
  const char* end = address.data() + address.size();
  const auto parsed = std::from_chars(address.data() + colon + 1, end, port);
  sockaddr_in six_less{};
  sockaddr_in6 six{};
  const bool is_four =
      inet_pton(AF_INET, host.c_str(), &six_less.sin_addr) == 1 && (ntohl(six_less.sin_addr.s_addr) >> 24) == 127;
  if (parsed.ec != std::errc() || parsed.ptr != end || (!is_four && host != "[::1]")) BadAddress(address);
  six_less.sin_family = AF_INET;
  six_less.sin_port = htons(port);
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  six.sin6_port = htons(port);
  const sockaddr* where =
      is_four ? reinterpret_cast<const sockaddr*>(&six_less) : reinterpret_cast<const sockaddr*>(&six);
  socklen_t size = is_four ? sizeof six_less : sizeof six;
  listener_ = socket(where->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (listener_ >= 0) setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener_ < 0 || bind(listener_, where, size) != 0 || listen(listener_, 16) != 0) {
    const std::string why = std::strerror(errno);
    if (listener_ >= 0) close(listener_);
    throw Error(ExitCode::kIo, fmt::format("cannot listen at {}: {}", address, why));
  }
  sockaddr_in6 bound{};
  size = sizeof bound;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.sin6_port);  // where an IPv4 address has its port too
}

void HttpPage::Watch(int fd, bool writing, bool is_new) {
  epoll_event event{};
  event.events = writing ? EPOLLOUT : EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

void HttpPage::Serve(int64_t now_ns) {
  AcceptAll(now_ns);
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto connection = it++;
    if (Advance(*connection) && now_ns - connection->since_ns <= kMostNs) continue;
    close(connection->fd);
    connections_.erase(connection);
  }
}

void HttpPage::AcceptAll(int64_t now_ns) {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    if (connections_.size() >= kMostConnections) {
      close(fd);
      continue;
    }
    Connection& connection = connections_.emplace_back();
    connection.fd = fd;
    connection.since_ns = now_ns;
    Watch(fd, false, true);
  }
}

bool HttpPage::Advance(Connection& connection) {
  std::array<char, 1024> bytes{};
  while (connection.answer.empty()) {
    const ssize_t got = recv(connection.fd, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    connection.request.append(bytes.data(), static_cast<size_t>(got));
    const bool whole = connection.request.find("\r\n\r\n") != std::string::npos;
    if (!whole && connection.request.size() < kMostRequestBytes) continue;
    const std::string path = whole ? PathOf(connection.request) : "";
    const Answer answer = path.empty() ? Answer{400, "GET /metrics would be right\n"} : page_at_(path);
    connection.answer = HttpText(answer.status, answer.text);
    Watch(connection.fd, true, false);
  }
  while (connection.sent < connection.answer.size()) {
    const ssize_t sent = send(connection.fd, connection.answer.data() + connection.sent,
                              connection.answer.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return true;
    if (sent <= 0) return false;
    connection.sent += static_cast<size_t>(sent);
  }
  return false;
}

}  // namespace hone
