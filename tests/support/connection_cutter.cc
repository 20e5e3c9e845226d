#include "tests/support/connection_cutter.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace hone {
namespace {

const char* const kSocket = "/.s.PGSQL.5432";

sockaddr_un SocketAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

int Connect(const std::string& path) {
  const sockaddr_un address = SocketAddress(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw Error(ExitCode::kIo, "the server's socket does not answer: " + path);
  }
  return fd;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// The bytes that have arrived; empty at the end of the stream.
std::string ReceiveSome(int fd) {
  std::array<char, 65536> bytes{};
  const ssize_t size = recv(fd, bytes.data(), bytes.size(), 0);
  return {bytes.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

// Size of the first message; 0 while unknown. Its length field counts itself, and follows a letter in every message but
// the first.
size_t SizeOf(const std::string& bytes, bool first) {
  const size_t letter = first ? 0 : 1;
  if (bytes.size() < letter + 4) return 0;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size = 256 * size + static_cast<uint8_t>(bytes[letter + i]);
  return letter + size;
}

}  // namespace

ConnectionCutter::ConnectionCutter(const std::string& server) : folder_("/tmp/hone-cut-XXXXXX") {
  if (mkdtemp(folder_.data()) == nullptr) throw Error(ExitCode::kCannotCreate, "no temporary folder can be made");
  const size_t host = server.find("host=") + 5;
  server_socket_ = server.substr(host) + kSocket;
  address_ = server.substr(0, host) + folder_;
  const sockaddr_un address = SocketAddress(folder_ + kSocket);
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || listen(fd_, 8) != 0) {
    throw Error(ExitCode::kIo, "a socket cannot be made in " + folder_);
  }
  thread_ = std::thread([this] { Serve(); });
}

ConnectionCutter::~ConnectionCutter() {
  shutdown(fd_, SHUT_RDWR);
  thread_.join();
  close(fd_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ConnectionCutter::CutNextAt(int message, Message last) {
  last_ = last;
  cut_ = false;
  cut_at_ = message;
}

void ConnectionCutter::Serve() {
  for (;;) {
    const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = Connect(server_socket_);
    PassOn(client, server);
    close(client);
    close(server);
  }
}

void ConnectionCutter::PassOn(int client, int server) {
  pending_.clear();
  messages_ = 0;
  std::array<pollfd, 2> ready{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
  while (poll(ready.data(), ready.size(), -1) > 0) {
    if (ready[0].revents != 0) {
      const std::string bytes = ReceiveSome(client);
      pending_ += bytes;
      if (bytes.empty() || !PassMessages(server)) return;
    }
    if (ready[1].revents != 0) {
      const std::string bytes = ReceiveSome(server);
      if (bytes.empty() || !SendAll(client, bytes)) return;
    }
  }
}

bool ConnectionCutter::PassMessages(int server) {
  for (size_t size = SizeOf(pending_, messages_ == 0); size > 0 && pending_.size() >= size;
       size = SizeOf(pending_, messages_ == 0)) {
    const bool now = ++messages_ == cut_at_;
    if (now) cut_ = true;
    if (now && last_ == Message::kLost) return false;
    if (!SendAll(server, std::string_view(pending_).substr(0, size)) || now) return false;
    pending_.erase(0, size);
  }
  return true;
}

}  // namespace hone
