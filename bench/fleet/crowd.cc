#include "bench/fleet/crowd.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "bench/fleet/fleet_jobs.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"
#include "tests/rpc_runner/raw_tcp.h"

namespace hone::bench {
namespace {

// So many answers about a fleet of 64 runners exceed the buffers of two sockets.
constexpr int64_t kMoreThanQueuesHold = 2000;

bool IsClosed(int fd) {
  char bytes[256];
  ssize_t got = 0;
  while ((got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
  }
  return got == 0 || errno != EAGAIN;
}

}  // namespace

HalfOpenCrowd::HalfOpenCrowd(const std::string& tracker, int count) : tracker_(tracker) {
  for (int i = 0; i < count; ++i) connections_.push_back(ConnectRaw(tracker_));
  thread_ = std::thread([this] { Serve(); });
}

HalfOpenCrowd::~HalfOpenCrowd() {
  stop_ = true;
  thread_.join();
  for (const int fd : connections_) close(fd);
}

void HalfOpenCrowd::Serve() {
  while (!stop_) {
    for (int& fd : connections_) {
      if (!IsClosed(fd)) continue;
      close(fd);
      fd = ConnectRaw(tracker_);
      ++made_anew_;
    }
    Sleep(10 * kMillisecond);
  }
}

SlowReader::SlowReader(const std::string& tracker, const ClientKeys& keys)
    : thread_([this, tracker, keys] { Serve(tracker, keys); }) {
  while (asked_ < kMoreThanQueuesHold) Sleep(kMillisecond);
}

SlowReader::~SlowReader() {
  stop_ = true;
  thread_.join();
}

void SlowReader::Serve(const std::string& tracker, const ClientKeys& keys) {
  SocketContext context(ClientSecurity(keys, tracker));
  Socket socket(context, Socket::Kind::kDealer);
  socket.Connect(tracker);
  socket.DropUnsent();
  while (!stop_) {
    if (socket.Send("", {FrameKind::kStatusQuery, Json::object(), {}})) ++asked_;
    // From here on it is a slow reader and not a flood.
    if (asked_ >= kMoreThanQueuesHold) Sleep(10 * kMillisecond);
  }
}

}  // namespace hone::bench
