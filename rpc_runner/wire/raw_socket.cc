#include "rpc_runner/wire/raw_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/address.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

void SetOption(void* socket, int option, int value) { zmq_setsockopt(socket, option, &value, sizeof(value)); }

int OptionOf(void* socket, int option) {
  int value = 0;
  size_t size = sizeof(value);
  zmq_getsockopt(socket, option, &value, &size);
  return value;
}

void SetText(void* socket, int option, const std::string& text) {
  if (zmq_setsockopt(socket, option, text.c_str(), text.size()) == 0) return;
  throw Error(ExitCode::kBadConfig, fmt::format("ZeroMQ does not take a key: {}", zmq_strerror(errno)));
}

void SetLimits(void* socket) {
  const int64_t most_bytes = kMaxFrameBytes;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most_bytes, sizeof(most_bytes));
  SetOption(socket, ZMQ_SNDHWM, 64);
  SetOption(socket, ZMQ_RCVHWM, 64);
  SetOption(socket, ZMQ_LINGER, 2000);
  // TCP checks that the peer is alive. The library's own heartbeats end the process (4.3.4, libzmq #4364) if a peer
  // leaves whose messages have not been taken.
  SetOption(socket, ZMQ_TCP_KEEPALIVE, 1);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_IDLE, 2);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_INTVL, 1);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
  SetOption(socket, ZMQ_TCP_MAXRT, 5000);
  SetOption(socket, ZMQ_HANDSHAKE_IVL, 3000);
  SetOption(socket, ZMQ_BACKLOG, 4096);
  // The library adds a random part of the first interval to each. However long a tracker was away, all peers should be
  // back within ten seconds.
  SetOption(socket, ZMQ_RECONNECT_IVL, 100);
  SetOption(socket, ZMQ_RECONNECT_IVL_MAX, 5000);
}

// CURVE's flaws before the handshake (CVE-2019-13132, CVE-2020-15166) were fixed in 4.3.3.
void RequireSafeLibrary() {
  int major = 0, minor = 0, patch = 0;
  zmq_version(&major, &minor, &patch);
  if (std::array{major, minor, patch} >= std::array{4, 3, 3} && zmq_has("curve") != 0) return;
  throw Error(ExitCode::kBadConfig,
              fmt::format("libzmq {}.{}.{} cannot be trusted with keys; 4.3.3 or later with CURVE is wanted", major,
                          minor, patch));
}

namespace {

constexpr int kEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                        ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
constexpr size_t kMostFailures = 1000;

std::string PeerOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* ip = address.ss_family == AF_INET6
                       ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr)
                       : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&address)->sin_addr);
  return inet_ntop(address.ss_family, ip, text.data(), text.size()) == nullptr ? "" : PlainIp(text.data());
}

}  // namespace

HandshakeWatch::HandshakeWatch(SocketContext& context, void* socket) : socket_(socket) {
  const std::string name = "inproc://handshakes-" + NewRandomName();
  events_ = zmq_socket(context.raw(), ZMQ_PAIR);
  // Without a limit, since otherwise the library's own thread would wait for this one.
  const int unlimited = 0;
  if (events_ != nullptr) zmq_setsockopt(events_, ZMQ_RCVHWM, &unlimited, sizeof(unlimited));
  if (events_ == nullptr || zmq_socket_monitor(socket_, name.c_str(), kEvents) != 0 ||
      zmq_connect(events_, name.c_str()) != 0) {
    throw Error(ExitCode::kIo, fmt::format("handshakes cannot be watched: {}", zmq_strerror(errno)));
  }
}

HandshakeWatch::~HandshakeWatch() {
  zmq_socket_monitor(socket_, nullptr, 0);
  zmq_close(events_);
}

bool HandshakeWatch::ReceiveEvent() {
  // An event has two parts: its number and value, and this socket's own address.
  std::array<char, 6> head{};
  if (zmq_recv(events_, head.data(), head.size(), ZMQ_DONTWAIT) != static_cast<int>(head.size())) return false;
  uint16_t event = 0;
  int32_t value = 0;
  std::memcpy(&event, head.data(), sizeof(event));
  std::memcpy(&value, head.data() + sizeof(event), sizeof(value));
  zmq_recv(events_, nullptr, 0, ZMQ_DONTWAIT);
  OnEvent(event, value);
  return true;
}

void HandshakeWatch::OnEvent(unsigned event, int value) {
  switch (event) {
    case ZMQ_EVENT_ACCEPTED:
      addresses_[value] = PeerOf(value);
      break;
    case ZMQ_EVENT_DISCONNECTED:
      open_since_ns_ = 0;
      Ended(value);
      break;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      last_ = Trouble::kNone;
      failures_ = 0;
      open_since_ns_ = MonotonicNs();
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      Fail(Trouble::kNotAdmitted, true);
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      Fail(value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? Trouble::kNotEncrypted : Trouble::kUnfinished, true);
      break;
    default:
      Fail(Trouble::kUnfinished, false);
  }
}

void HandshakeWatch::Fail(Trouble trouble, bool is_final) {
  last_ = trouble;
  ++failures_;
  if (failed_.size() >= kMostFailures) return;
  failed_.push_back({trouble, "", is_final});
  // A refused peer first gets the refusal, so the end of its connection does not follow at once.
  ending_ = trouble != Trouble::kNotAdmitted;
}

// The library reports the failure first, and then the end of the connection.
void HandshakeWatch::Ended(int fd) {
  const auto it = addresses_.find(fd);
  if (it == addresses_.end()) return;
  if (ending_) failed_.back().address = it->second;
  ending_ = false;
  addresses_.erase(it);
}

std::vector<HandshakeWatch::Failure> HandshakeWatch::Take() {
  while (ReceiveEvent()) {
  }
  std::vector<Failure> failures;
  failures.swap(failed_);
  if (ending_ && !addresses_.empty()) {
    failed_.push_back(failures.back());
    failures.pop_back();
  }
  return failures;
}

}  // namespace hone
