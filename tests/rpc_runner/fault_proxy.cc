#include "tests/rpc_runner/fault_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <tuple>

#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/raw_tcp.h"

namespace hone {
namespace {

// ZMTP 3.1 (RFC 37): a greeting, then frames of a byte of flags, a length of one byte or eight, and the body.
constexpr size_t kGreetingBytes = 64;
constexpr unsigned char kMore = 1, kLong = 2, kCommand = 4;

// Doubles the messages in one direction's bytes, which arrive in pieces of any size.
class MessageDoubler {
 public:
  std::string Take(const std::string& bytes) {
    // The greeting is passed on at once, because each end waits for the other's first bytes before it sends the rest.
    const size_t greeting = std::min(kGreetingBytes - greeted_, bytes.size());
    greeted_ += greeting;
    std::string out = bytes.substr(0, greeting);
    pending_ += bytes.substr(greeting);
    while (pending_.size() >= FrameBytes()) {
      const auto flags = static_cast<unsigned char>(pending_[0]);
      const std::string frame = Cut(FrameBytes());
      if (flags & kCommand) {
        out += frame;
        continue;
      }
      message_ += frame;
      if (flags & kMore) continue;
      out += message_ + message_;
      message_.clear();
    }
    return out;
  }

 private:
  // Size of the first pending frame; more than what is pending while the size is unknown.
  size_t FrameBytes() const {
    if (pending_.size() < 2) return 2;
    if (!(static_cast<unsigned char>(pending_[0]) & kLong)) return 2 + static_cast<unsigned char>(pending_[1]);
    if (pending_.size() < 9) return 9;
    size_t bytes = 0;
    for (size_t i = 1; i < 9; ++i) bytes = bytes << 8 | static_cast<unsigned char>(pending_[i]);
    return 9 + bytes;
  }

  std::string Cut(size_t bytes) {
    std::string head = pending_.substr(0, bytes);
    pending_.erase(0, bytes);
    return head;
  }

  size_t greeted_ = 0;  // bytes of the greeting passed on
  std::string pending_, message_;
};

}  // namespace

// One connection: two descriptors, and the bytes on their way from each to the other.
class FaultProxy::Link {
 public:
  Link(int client, int server) : fds_{client, server} {}
  ~Link() {
    for (const int fd : fds_) close(fd);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool stalled = false;

  void AddTo(std::vector<pollfd>* polled) const {
    for (const int fd : fds_) polled->push_back({stalled ? -1 : fd, POLLIN, 0});
  }

  // Reads bytes from `side`; returns false when it has hung up.
  bool Read(size_t side, const Faults& faults) {
    std::array<char, 65536> bytes{};
    const ssize_t n = recv(fds_[side], bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n <= 0) return n < 0 && errno == EAGAIN;
    std::string got(bytes.data(), static_cast<size_t>(n));
    if (faults.doubles) got = doublers_[side].Take(got);
    if (!got.empty()) waiting_[side].push_back({MonotonicNs() + faults.delay_ns, std::move(got)});
    return true;
  }

  // Passes on the bytes whose delay is over; returns false when that fails.
  bool PassDue(FaultProxy& proxy) {
    for (size_t side = 0; side < 2 && !stalled; ++side) {
      while (!waiting_[side].empty() && waiting_[side].front().due_ns <= MonotonicNs()) {
        const std::string bytes = std::move(waiting_[side].front().bytes);
        waiting_[side].pop_front();
        if (!proxy.Pass(fds_[1 - side], bytes)) return false;
      }
    }
    return true;
  }

 private:
  struct Waiting {
    int64_t due_ns;
    std::string bytes;
  };
  std::array<int, 2> fds_;
  std::array<std::deque<Waiting>, 2> waiting_;
  std::array<MessageDoubler, 2> doublers_;
};

FaultProxy::FaultProxy(const std::string& address, const Faults& faults) : to_(address), faults_(faults) {
  std::tie(listener_, address_) = ListenRaw();
  thread_ = std::thread([this] { Loop(); });
}

FaultProxy::~FaultProxy() {
  stop_ = true;
  thread_.join();
  close(listener_);
}

void FaultProxy::Cut(int64_t bytes, bool stalls) {
  stalls_ = stalls;
  left_ = std::max<int64_t>(bytes, 1);
}

bool FaultProxy::Pass(int fd, const std::string& bytes) {
  auto size = static_cast<int64_t>(bytes.size());
  const int64_t left = left_;
  if (left > 0) size = std::min(size, left);
  for (int64_t sent = 0; sent < size;) {
    const ssize_t n = send(fd, bytes.data() + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += n;
  }
  passed_ += size;
  if (left <= 0) return true;
  left_ = left - size;
  return left_ != 0;
}

void FaultProxy::CutAll() {
  if (!stalls_) links_.clear();
  for (const auto& link : links_) link->stalled = true;
}

void FaultProxy::Loop() {
  while (!stop_) {
    std::vector<pollfd> polled = {{listener_, POLLIN, 0}};
    for (const auto& link : links_) link->AddTo(&polled);
    poll(polled.data(), polled.size(), faults_.delay_ns > 0 ? 1 : 20);
    const bool was_cut = has_cut();
    for (size_t i = 0; i < links_.size(); ++i) {
      bool lives = true;
      for (size_t side = 0; side < 2; ++side) {
        if (polled[1 + 2 * i + side].revents != 0) lives = lives && links_[i]->Read(side, faults_);
      }
      lives = links_[i]->PassDue(*this) && lives;
      if (!was_cut && has_cut()) break;
      if (!lives) links_[i].reset();
    }
    std::erase(links_, nullptr);
    if (!was_cut && has_cut()) CutAll();
    if (polled[0].revents == 0) continue;
    const int client = accept(listener_, nullptr, nullptr);
    if (client >= 0) links_.push_back(std::make_unique<Link>(client, ConnectRaw(to_)));
  }
}

}  // namespace hone
