#include "tests/db/one_shot_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace hone {
namespace {

// The number of bytes in the whole request; absent until its headers are complete.
size_t WholeSize(const std::string& request) {
  const size_t head = request.find("\r\n\r\n");
  if (head == std::string::npos) return std::string::npos;
  const std::string name = "Content-Length: ";
  const size_t at = request.find(name);
  return head + 4 + (at < head ? std::stoul(request.substr(at + name.size())) : 0);
}

std::string ReadRequest(int peer) {
  std::string request;
  std::string part(8192, '\0');
  while (request.size() < WholeSize(request)) {
    const ssize_t n = read(peer, part.data(), part.size());
    if (n <= 0) break;
    request.append(part, 0, static_cast<size_t>(n));
  }
  return request;
}

void Send(int peer, const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(peer, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

}  // namespace

OneShotServer::OneShotServer(Answer answer)
    : answer_(std::move(answer)), fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(fd_, 8), 0);
  getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

OneShotServer::~OneShotServer() {
  shutdown(fd_, SHUT_RDWR);
  thread_.join();
  close(fd_);
}

std::string OneShotServer::Url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

std::vector<std::string> OneShotServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void OneShotServer::Serve() {
  for (;;) {
    const int peer = accept(fd_, nullptr, nullptr);
    if (peer < 0) return;
    const std::string request = ReadRequest(peer);
    int number = 0;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      number = static_cast<int>(requests_.size());
    }
    Send(peer, answer_(number, request));
    close(peer);
  }
}

}  // namespace hone
