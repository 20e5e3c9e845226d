#include "rpc_runner/wire/socket.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "core/error.h"

#if defined(__SANITIZE_THREAD__)
// The library is not built with the sanitizer, which cannot see how its threads hand messages over.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:libzmq.so\n"; }
#endif

namespace hone {
namespace {

void Set(void* socket, int option, int value) { zmq_setsockopt(socket, option, &value, sizeof(value)); }

void SetLimits(void* socket) {
  const int64_t most_bytes = kMaxFrameBytes;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most_bytes, sizeof(most_bytes));
  Set(socket, ZMQ_SNDHWM, 64);
  Set(socket, ZMQ_RCVHWM, 64);
  Set(socket, ZMQ_LINGER, 500);
  Set(socket, ZMQ_HEARTBEAT_IVL, 1000);
  Set(socket, ZMQ_HEARTBEAT_TIMEOUT, 3000);
  Set(socket, ZMQ_HEARTBEAT_TTL, 5000);
  Set(socket, ZMQ_HANDSHAKE_IVL, 3000);
  Set(socket, ZMQ_BACKLOG, 4096);
  Set(socket, ZMQ_RECONNECT_IVL, 100);
  Set(socket, ZMQ_RECONNECT_IVL_MAX, 3000);
}

std::string_view HostOf(std::string_view address) {
  constexpr std::string_view kScheme = "tcp://";
  if (address.substr(0, kScheme.size()) != kScheme) return "";
  address.remove_prefix(kScheme.size());
  return address.substr(0, address.rfind(':'));
}

// One part of a message; `more` tells whether another follows. False when none waits.
bool ReceivePart(void* socket, std::string* bytes, bool* more) {
  zmq_msg_t part;
  zmq_msg_init(&part);
  const bool got = zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) >= 0;
  if (got) {
    bytes->assign(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    *more = zmq_msg_more(&part) != 0;
  }
  zmq_msg_close(&part);
  return got;
}

}  // namespace

void RequireLoopback(std::string_view address) {
  const std::string_view host = HostOf(address);
  if (host.substr(0, 4) == "127." || host == "localhost" || host == "[::1]") return;
  throw Error(
      ExitCode::kBadConfig,
      fmt::format("{} is not a loopback tcp address, and hone has no keys yet: use tcp://127.0.0.1:PORT", address));
}

std::string NewRandomName() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ExitCode::kIo, "the system gives no random numbers");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

SocketContext::SocketContext() : context_(zmq_ctx_new()) {
  if (context_ == nullptr) throw Error(ExitCode::kIo, "the system gives no sockets");
}

SocketContext::~SocketContext() {
  while (zmq_ctx_term(context_) != 0 && errno == EINTR) {
  }
}

Socket::Socket(SocketContext& context, Kind kind)
    : kind_(kind), socket_(zmq_socket(context.raw(), kind == Kind::kRouter ? ZMQ_ROUTER : ZMQ_DEALER)) {
  if (socket_ == nullptr) throw Error(ExitCode::kIo, fmt::format("no socket: {}", zmq_strerror(errno)));
  SetLimits(socket_);
  if (kind == Kind::kRouter) Set(socket_, ZMQ_ROUTER_MANDATORY, 1);
}

Socket::~Socket() { zmq_close(socket_); }

std::string Socket::Bind(const std::string& address) {
  RequireLoopback(address);
  if (zmq_bind(socket_, address.c_str()) != 0) {
    throw Error(ExitCode::kIo, fmt::format("cannot listen at {}: {}", address, zmq_strerror(errno)));
  }
  std::array<char, 256> bound{};
  size_t size = bound.size();
  zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, bound.data(), &size);
  return bound.data();
}

void Socket::Connect(const std::string& address) {
  RequireLoopback(address);
  if (zmq_connect(socket_, address.c_str()) != 0) {
    throw Error(ExitCode::kBadConfig, fmt::format("cannot connect to {}: {}", address, zmq_strerror(errno)));
  }
}

bool Socket::Send(const std::string& peer, const Frame& frame) {
  std::string bytes = EncodeFrame(frame);
  return SendBytes(peer, bytes) == Sent::kYes;
}

Socket::Sent Socket::SendBytes(const std::string& peer, std::string& bytes) {
  const auto failed = [] { return errno == EAGAIN ? Sent::kFull : Sent::kUnreachable; };
  if (kind_ == Kind::kRouter && zmq_send(socket_, peer.data(), peer.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) {
    return failed();
  }
  // The library frees the string once it has written it.
  auto owned = std::make_unique<std::string>(std::move(bytes));
  zmq_msg_t message;
  zmq_msg_init_data(
      &message, owned->data(), owned->size(), [](void*, void* hint) { delete static_cast<std::string*>(hint); },
      owned.get());
  if (zmq_msg_send(&message, socket_, ZMQ_DONTWAIT) >= 0) {
    static_cast<void>(owned.release());
    return Sent::kYes;
  }
  const Sent why = failed();
  bytes = *owned;
  static_cast<void>(owned.release());
  zmq_msg_close(&message);
  return why;
}

bool Socket::Receive(Message* message) {
  for (;;) {
    bool more = false;
    message->peer.clear();
    if (kind_ == Kind::kRouter && !ReceivePart(socket_, &message->peer, &more)) return false;
    if (kind_ == Kind::kRouter && !more) continue;
    if (!ReceivePart(socket_, &message->bytes, &more)) return false;
    if (!more) return true;
    std::string passed_over;
    while (more && ReceivePart(socket_, &passed_over, &more)) {
    }
  }
}

void WaitForAny(const std::vector<const Socket*>& sockets, int fd, int64_t timeout_ns) {
  std::vector<zmq_pollitem_t> items;
  for (const Socket* socket : sockets) items.push_back({socket->raw(), 0, ZMQ_POLLIN, 0});
  if (fd >= 0) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  const int64_t milliseconds = std::max<int64_t>(0, timeout_ns + 999'999) / 1'000'000;
  zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(milliseconds));
}

}  // namespace hone
