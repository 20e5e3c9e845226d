#include "rpc_runner/wire/socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/raw_socket.h"

#if defined(__SANITIZE_THREAD__)
// The library is built without the sanitizer, which cannot see how its threads pass messages on.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:libzmq.so\n"; }
#endif

namespace hone {
namespace {

constexpr int64_t kForgetPeerNs = 60'000'000'000;
// The interval between looks at the handshakes: each costs a system call or two, as many as the rest of a turn.
constexpr int64_t kHandshakeLookNs = 50'000'000;
constexpr int64_t kFirstAgainNs = 500'000'000;
constexpr int64_t kLongestAgainNs = 30'000'000'000;
constexpr int64_t kLookUpNs = 3'000'000'000;
// Each Socket needs three of the library's sockets, including those that report handshakes.
constexpr int kMostSockets = 8192;
constexpr const char* kZapDomain = "hone";
// The option's number is permanent, but headers without the draft interface lack its name.
constexpr int kZapEnforceDomain = 93;

// A tracker has a connection for each runner and tuner.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Receives one part of a message; `more` tells whether another follows. Returns false if none waits.
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

std::string Property(zmq_msg_t* part, const char* name) {
  const char* text = zmq_msg_gets(part, name);
  return text == nullptr ? "" : text;
}

}  // namespace

void RequireLoopback(std::string_view address) {
  if (ParseBindAddress(address).is_loopback) return;
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} can be reached from other machines, which needs keys: `hone key new --server` makes a "
                          "tracker's, or listen at tcp://127.0.0.1:PORT",
                          address));
}

std::string NewRandomName() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ExitCode::kIo, "the system gives no random numbers");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

SocketContext::SocketContext(Security security) : security_(std::move(security)), context_(zmq_ctx_new()) {
  if (context_ == nullptr) throw Error(ExitCode::kIo, "the system gives no sockets");
  zmq_ctx_set(context_, ZMQ_MAX_SOCKETS, kMostSockets);
  if (security_.gate == nullptr && security_.server_key.empty()) return;
  try {
    RequireSafeLibrary();
  } catch (const Error&) {
    zmq_ctx_term(context_);
    throw;
  }
}

SocketContext::~SocketContext() {
  while (zmq_ctx_term(context_) != 0 && errno == EINTR) {
  }
}

Socket::Socket(SocketContext& context, Kind kind)
    : kind_(kind),
      security_(context.security()),
      socket_(zmq_socket(context.raw(), kind == Kind::kRouter ? ZMQ_ROUTER : ZMQ_DEALER)) {
  if (socket_ == nullptr) throw Error(ExitCode::kIo, fmt::format("no socket: {}", zmq_strerror(errno)));
  try {
    SetLimits(socket_);
    if (kind == Kind::kRouter) SetOption(socket_, ZMQ_ROUTER_MANDATORY, 1);
    UseKeys();
    watch_ = std::make_unique<HandshakeWatch>(context, socket_);
  } catch (const Error&) {
    zmq_close(socket_);
    throw;
  }
}

void Socket::UseKeys() {
  if (kind_ == Kind::kRouter && security_.gate != nullptr) {
    SetOption(socket_, ZMQ_CURVE_SERVER, 1);
    SetText(socket_, ZMQ_CURVE_SECRETKEY, security_.own.secret_key);
    SetText(socket_, ZMQ_ZAP_DOMAIN, kZapDomain);
    // If no handler answers for the domain, this refuses every peer instead of admitting every one.
    SetOption(socket_, kZapEnforceDomain, 1);
  } else if (kind_ == Kind::kDealer && !security_.server_key.empty()) {
    SetText(socket_, ZMQ_CURVE_SERVERKEY, security_.server_key);
    SetText(socket_, ZMQ_CURVE_PUBLICKEY, security_.own.public_key);
    SetText(socket_, ZMQ_CURVE_SECRETKEY, security_.own.secret_key);
  }
}

Socket::~Socket() {
  watch_.reset();
  zmq_close(socket_);
}

std::string Socket::Bind(const std::string& text) {
  const Address address = ParseBindAddress(text);
  if (security_.gate == nullptr) RequireLoopback(text);
  AllowManyFiles();
  // "*" means all addresses of both kinds, if the machine has both.
  const bool is_any = address.host == "*";
  SetOption(socket_, ZMQ_IPV6, is_any || address.host.find(':') != address.host.npos ? 1 : 0);
  bool is_bound = zmq_bind(socket_, address.ToText().c_str()) == 0;
  if (!is_bound && is_any && errno != EADDRINUSE) {
    SetOption(socket_, ZMQ_IPV6, 0);
    is_bound = zmq_bind(socket_, address.ToText().c_str()) == 0;
  }
  if (!is_bound) {
    throw Error(ExitCode::kIo, fmt::format("cannot listen at {}: {}; another address or port would be right", text,
                                           zmq_strerror(errno)));
  }
  std::array<char, 256> bound{};
  size_t size = bound.size();
  zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, bound.data(), &size);
  return bound.data();
}

void Socket::Connect(const std::string& text) {
  const Address address = ParseAddress(text);
  if (!address.is_loopback && security_.server_key.empty()) {
    throw Error(
        ExitCode::kBadConfig,
        fmt::format("{} is another machine, which needs keys: `hone key enroll` on the tracker's prints how", text));
  }
  where_ = address;
  address_ = address.ToText();
  UseKindOfAddress();
  if (zmq_connect(socket_, address_.c_str()) != 0) {
    throw Error(ExitCode::kBadConfig, fmt::format("cannot connect to {}: {}", text, zmq_strerror(errno)));
  }
}

bool Socket::Send(const std::string& peer, const Frame& frame) {
  try {
    std::string bytes = EncodeFrame(frame);
    return SendBytes(peer, bytes) == Sent::kYes;
  } catch (const Error& error) {
    const auto kind = static_cast<int>(frame.kind);
    LogError("hone", fmt::format("a frame of kind {} was not sent: {}", kind, error.what()));
    if (kind_ == Kind::kRouter && frame.kind != FrameKind::kError) {
      Send(peer, ErrorFrame("too_big", fmt::format("the frame of kind {} for you was too big", kind)));
    }
    return false;
  }
}

Socket::Sent Socket::SendBytes(const std::string& peer, std::string& bytes) {
  if (!MaySendTo(peer)) return Sent::kUnreachable;
  const auto failed = [] { return errno == EAGAIN ? Sent::kFull : Sent::kUnreachable; };
  if (kind_ == Kind::kRouter && zmq_send(socket_, peer.data(), peer.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) {
    return failed();
  }
  // The library frees the string after sending it.
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

// Receives a message from any sender; `part` is a zmq_msg_t with its last part.
bool Socket::ReceiveAny(Message* message, void* raw_part) {
  auto* const part = static_cast<zmq_msg_t*>(raw_part);
  for (;;) {
    bool more = false;
    message->peer.clear();
    message->sender = {};
    if (kind_ == Kind::kRouter && !ReceivePart(socket_, &message->peer, &more)) return false;
    if (kind_ == Kind::kRouter && !more) continue;
    if (zmq_msg_recv(part, socket_, ZMQ_DONTWAIT) < 0) return false;
    more = zmq_msg_more(part) != 0;
    if (!more) return true;
    const int fd = zmq_msg_get(part, ZMQ_SRCFD);
    std::string passed_over;
    while (more && ReceivePart(socket_, &passed_over, &more)) {
    }
    if (fd >= 0) shutdown(fd, SHUT_RDWR);
  }
}

bool Socket::Receive(Message* message) {
  if (security_.gate != nullptr && kind_ == Kind::kRouter) CloseRefused();
  zmq_msg_t part;
  zmq_msg_init(&part);
  bool got = false;
  while (!got && ReceiveAny(message, &part)) {
    message->bytes.assign(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    got = TakeSender(message, &part);
  }
  zmq_msg_close(&part);
  if (got) {
    if (most_silence_ns_ > 0) heard_ns_ = MonotonicNs();
    return true;
  }
  NoteFailures();
  ReconnectSilent();
  RefreshLookup();
  ConnectAgain();
  return false;
}

// Returns false if the sender may not send messages.
bool Socket::TakeSender(Message* message, void* raw_part) {
  if (kind_ != Kind::kRouter || security_.gate == nullptr) return true;
  auto* const part = static_cast<zmq_msg_t*>(raw_part);
  const std::string key = Property(part, "User-Id");
  const int fd = zmq_msg_get(part, ZMQ_SRCFD);
  // A name that the client chose could belong to another peer. Names from the library begin with a zero byte.
  const bool is_named_by_us = message->peer.starts_with('\0');
  const std::optional<Sender> sender = is_named_by_us ? security_.gate->Find(key) : std::nullopt;
  if (sender) {
    peers_[message->peer] = {key, fd, MonotonicNs()};
    message->sender = *sender;
    return true;
  }
  std::optional<std::string> answer =
      is_named_by_us ? security_.gate->Enrol(key, message->bytes, PlainIp(Property(part, "Peer-Address")))
                     : std::nullopt;
  if (answer) {
    if (zmq_send(socket_, message->peer.data(), message->peer.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) >= 0) {
      zmq_send(socket_, answer->data(), answer->size(), ZMQ_DONTWAIT);
    }
  } else if (fd >= 0) {
    shutdown(fd, SHUT_RDWR);
  }
  return false;
}

bool Socket::MaySendTo(const std::string& peer) {
  if (kind_ != Kind::kRouter || security_.gate == nullptr) return true;
  const auto it = peers_.find(peer);
  return it != peers_.end() && security_.gate->Find(it->second.key);
}

void Socket::CloseRefused() {
  const int64_t now_ns = MonotonicNs();
  ForgetSilentPeers(now_ns);
  const uint64_t generation = security_.gate->generation();
  if (generation == generation_) return;
  generation_ = generation;
  for (auto it = peers_.begin(); it != peers_.end();) {
    const auto peer = it++;
    if (security_.gate->Find(peer->second.key)) continue;
    // The library cannot close a single connection. If the descriptor has been reused, the other connection reconnects.
    if (peer->second.fd >= 0) shutdown(peer->second.fd, SHUT_RDWR);
    security_.gate->NoteDropped(peer->second.key);
    peers_.erase(peer);
  }
}

void Socket::ForgetSilentPeers(int64_t now_ns) {
  if (now_ns - forgot_ns_ < kForgetPeerNs / 4) return;
  forgot_ns_ = now_ns;
  // Called here too, so that failures are noted even while messages never cease.
  NoteFailures();
  std::erase_if(peers_, [&](const auto& peer) { return now_ns - peer.second.heard_ns > kForgetPeerNs; });
}

void Socket::NoteFailures() {
  const int64_t now_ns = MonotonicNs();
  if (now_ns - looked_ns_ < kHandshakeLookNs) return;
  looked_ns_ = now_ns;
  for (const HandshakeWatch::Failure& failure : watch_->Take()) {
    if (kind_ == Kind::kDealer && failure.is_final) {
      const int64_t wait_ns = std::min(kLongestAgainNs, kFirstAgainNs << std::min(watch_->failures() - 1, 10));
      // A random delay, so that a returning tracker does not meet all peers at once.
      again_ns_ = MonotonicNs() + wait_ns + MonotonicNs() % (wait_ns / 4);
    }
    // The gate itself refused these and has noted them already.
    if (security_.gate == nullptr || failure.trouble == HandshakeWatch::Trouble::kNotAdmitted) continue;
    security_.gate->NoteRefusal(failure.address, failure.trouble == HandshakeWatch::Trouble::kNotEncrypted
                                                     ? "no encryption offered"
                                                     : "no handshake");
  }
}

void Socket::ReconnectSilent() {
  if (most_silence_ns_ == 0 || watch_->open_since_ns() == 0 || again_ns_ != 0) return;
  const int64_t now_ns = MonotonicNs();
  if (now_ns - std::max(heard_ns_, watch_->open_since_ns()) <= most_silence_ns_) return;
  heard_ns_ = again_ns_ = now_ns;
}

void Socket::UseKindOfAddress() {
  looked_up_ns_ = MonotonicNs();
  lookup_ = LookUp(where_);
  SetOption(socket_, ZMQ_IPV6, lookup_.is_ipv6 ? 1 : 0);
}

// If nobody listened at the first lookup, a later one may choose the other kind of address.
void Socket::RefreshLookup() {
  if (lookup_.is_sure || watch_->open_since_ns() != 0 || again_ns_ != 0) return;
  const int64_t now_ns = MonotonicNs();
  if (now_ns - looked_up_ns_ < kLookUpNs) return;
  looked_up_ns_ = now_ns;
  if (LookUp(where_).is_ipv6 != lookup_.is_ipv6) again_ns_ = now_ns;
}

// A peer that is refused may be admitted later, but the library gives up such a connection.
void Socket::ConnectAgain() {
  if (again_ns_ == 0 || MonotonicNs() < again_ns_) return;
  again_ns_ = 0;
  zmq_disconnect(socket_, address_.c_str());
  UseKindOfAddress();
  zmq_connect(socket_, address_.c_str());
}

std::string Socket::Refusal() {
  using Trouble = HandshakeWatch::Trouble;
  NoteFailures();
  const Trouble trouble = watch_->last();
  const bool keys = !security_.server_key.empty();
  // A single failure may come from a tracker that is shutting down.
  if (trouble == Trouble::kNone || (trouble == Trouble::kUnfinished && watch_->failures() < 2)) return "";
  if (trouble == Trouble::kNotAdmitted) {
    return fmt::format(
        "the tracker at {} does not admit the key {}... of {}: not on its list, revoked or expired; `hone key allow` "
        "or `hone key enroll` there would be right",
        address_, security_.own.public_key.substr(0, 8), security_.identity_file);
  }
  if (!keys) {
    return fmt::format(
        "what answers at {} needs keys, or is no tracker: `hone key enroll` on its machine prints how to enrol this "
        "one",
        address_);
  }
  return fmt::format(
      "what answers at {} does not hold the key {}... that {} names for it: it is another tracker, the tracker's key "
      "was changed, or another machine answers in its place",
      address_, security_.server_key.substr(0, 8), security_.server_key_source);
}

void Socket::DropUnsent() { SetOption(socket_, ZMQ_LINGER, 0); }

// zmq_poll would ask each socket twice and poll twice: half of a turn's system calls.
void WaitForAny(const std::vector<const Socket*>& sockets, int fd, int64_t timeout_ns) {
  std::vector<pollfd> items;
  for (const Socket* socket : sockets) {
    // The descriptor only signals changes, so messages that arrived earlier must be checked for.
    if ((OptionOf(socket->raw(), ZMQ_EVENTS) & ZMQ_POLLIN) != 0) return;
    items.push_back({OptionOf(socket->raw(), ZMQ_FD), POLLIN, 0});
  }
  if (fd >= 0) items.push_back({fd, POLLIN, 0});
  const int64_t milliseconds = std::max<int64_t>(0, timeout_ns + 999'999) / 1'000'000;
  poll(items.data(), items.size(), static_cast<int>(std::min<int64_t>(milliseconds, INT_MAX)));
}

}  // namespace hone
