#include "tests/lab/dashboard/http_viewer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

int Connect(int port, int receive_bytes = 0) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_bytes > 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

void SendAll(int fd, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t part = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (part <= 0) return;
    sent += static_cast<size_t>(part);
  }
}

enum class Received { kBytes, kNothing, kEnd };

// Appends the received bytes to `text`; waits until `until_ns` at most.
Received Receive(int fd, int64_t until_ns, std::string& text) {
  const int64_t left_ms = (until_ns - MonotonicNs()) / 1'000'000;
  pollfd one{fd, POLLIN, 0};
  if (left_ms < 0 || poll(&one, 1, static_cast<int>(left_ms)) <= 0) return Received::kNothing;
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
  if (got <= 0) return Received::kEnd;
  text.append(bytes.data(), static_cast<size_t>(got));
  return Received::kBytes;
}

std::string RequestText(int port, const std::string& path, const std::vector<std::string>& headers,
                        const std::string& method) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\n", method, path);
  const bool has_host =
      std::any_of(headers.begin(), headers.end(), [](const auto& h) { return h.starts_with("Host:"); });
  if (!has_host) text += fmt::format("Host: 127.0.0.1:{}\r\n", port);
  for (const std::string& header : headers) text += header + "\r\n";
  return text + "\r\n";
}

HttpReply ReplyOf(const std::string& text) {
  HttpReply reply;
  const size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return reply;
  reply.status = std::atoi(text.c_str() + 9);
  for (size_t at = text.find("\r\n") + 2; at < end;) {
    const size_t line_end = text.find("\r\n", at), colon = text.find(':', at);
    std::string name = text.substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    reply.headers[name] = text.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  reply.body = text.substr(end + 4);
  return reply;
}

}  // namespace

int PortOfUrl(const std::string& url) { return std::atoi(url.c_str() + url.rfind(':') + 1); }

std::string AskRaw(int port, const std::string& bytes, int within_ms) {
  const int fd = Connect(port);
  if (fd < 0) return "";
  SendAll(fd, bytes);
  std::string text;
  const int64_t until_ns = MonotonicNs() + int64_t{1'000'000} * within_ms;
  while (Receive(fd, until_ns, text) == Received::kBytes) {
  }
  close(fd);
  return text;
}

HttpReply AskHttp(int port, const std::string& path, const std::vector<std::string>& headers,
                  const std::string& method) {
  std::vector<std::string> all = headers;
  all.emplace_back("Connection: close");
  return ReplyOf(AskRaw(port, RequestText(port, path, all, method), 5000));
}

EventViewer::EventViewer(int port, const std::vector<std::string>& headers, int receive_bytes)
    : fd_(Connect(port, receive_bytes)) {
  if (fd_ >= 0) SendAll(fd_, RequestText(port, "/events", headers, "GET"));
}

EventViewer::~EventViewer() {
  if (fd_ >= 0) close(fd_);
}

// Strips the answer's headers, then the lengths of its chunks.
bool EventViewer::Read(int64_t until_ns) {
  const Received received = fd_ < 0 ? Received::kEnd : Receive(fd_, until_ns, raw_);
  if (received != Received::kBytes) {
    is_over_ = received == Received::kEnd;
    return false;
  }
  if (status_ == 0) {
    const size_t end = raw_.find("\r\n\r\n");
    if (end == std::string::npos) return true;
    status_ = ReplyOf(raw_).status;
    raw_.erase(0, end + 4);
  }
  for (size_t end = raw_.find("\r\n"); end != std::string::npos; end = raw_.find("\r\n")) {
    const size_t size = std::strtoul(raw_.c_str(), nullptr, 16);
    if (raw_.size() < end + 2 + size + 2) break;
    text_ += raw_.substr(end + 2, size);
    raw_.erase(0, end + 2 + size + 2);
    if (size == 0) is_over_ = true;
  }
  return !is_over_;
}

std::optional<EventViewer::Event> EventViewer::Whole() {
  for (size_t end = text_.find("\n\n"); end != std::string::npos; end = text_.find("\n\n")) {
    const std::string text = text_.substr(0, end + 1);
    text_.erase(0, end + 2);
    Event event;
    event.at_ns = MonotonicNs();
    for (size_t at = 0; at < text.size();) {
      const size_t line_end = text.find('\n', at);
      const std::string line = text.substr(at, line_end - at);
      for (const auto& [name, field] :
           {std::pair{"id: ", &event.id}, {"event: ", &event.name}, {"data: ", &event.data}}) {
        if (line.starts_with(name)) *field = line.substr(std::string(name).size());
      }
      at = line_end + 1;
    }
    if (!event.data.empty()) return event;
  }
  return std::nullopt;
}

std::optional<EventViewer::Event> EventViewer::Next(int within_ms) {
  const int64_t until_ns = MonotonicNs() + int64_t{1'000'000} * within_ms;
  for (;;) {
    if (std::optional<Event> event = Whole()) return event;
    if (!Read(until_ns)) return Whole();
  }
}

}  // namespace hone
