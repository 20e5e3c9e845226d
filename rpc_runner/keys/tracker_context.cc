#include "rpc_runner/keys/tracker_context.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

std::string AuditPath(const ServerKeys& keys) {
  // Reads the identity first, so that an invalid folder is reported as such.
  if (!keys.folder.empty()) ReadIdentity(KeyFolder(keys.folder).secret());
  if (!keys.audit.empty() || keys.folder.empty()) return keys.audit;
  return KeyFolder(keys.folder).audit();
}

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";
constexpr int64_t kRefreshNs = 500'000'000;
// version, request id, domain, address, routing id, mechanism and, with CURVE, the public key
constexpr size_t kCurveParts = 7;

bool ReceiveParts(void* socket, std::vector<std::string>* parts) {
  parts->clear();
  for (;;) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&part);
      return false;
    }
    parts->emplace_back(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    const bool more = zmq_msg_more(&part) != 0;
    zmq_msg_close(&part);
    if (!more) return true;
  }
}

void SendParts(void* socket, const std::array<std::string, 6>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    zmq_send(socket, parts[i].data(), parts[i].size(), i + 1 < parts.size() ? ZMQ_SNDMORE : 0);
  }
}

}  // namespace

// Answers ZeroMQ's questions about who may connect (ZAP, RFC 27) in a thread of its own. Make it before any socket of
// the context, and destroy it after all of them: without it no peer is admitted.
class TrackerContext::ZapHandler {
 public:
  ZapHandler(SocketContext& context, Gatekeeper& gate);
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

 private:
  void Loop();
  void AnswerAll();

  Gatekeeper& gate_;
  void* socket_;
  int stop_fd_;
  std::thread thread_;
};

TrackerContext::ZapHandler::ZapHandler(SocketContext& context, Gatekeeper& gate)
    : gate_(gate), socket_(zmq_socket(context.raw(), ZMQ_REP)), stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const int none = 0;
  if (socket_ != nullptr) zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof(none));
  if (socket_ == nullptr || stop_fd_ < 0 || zmq_bind(socket_, kEndpoint) != 0) {
    throw Error(ExitCode::kIo, fmt::format("clients cannot be authenticated: {}", zmq_strerror(errno)));
  }
  thread_ = std::thread([this] { Loop(); });
}

TrackerContext::ZapHandler::~ZapHandler() {
  eventfd_write(stop_fd_, 1);
  thread_.join();
  zmq_close(socket_);
  close(stop_fd_);
}

void TrackerContext::ZapHandler::Loop() {
  int64_t refreshed_ns = MonotonicNs();
  for (;;) {
    const int64_t left_ns = std::max<int64_t>(0, refreshed_ns + kRefreshNs - MonotonicNs());
    std::array<zmq_pollitem_t, 2> items{{{socket_, 0, ZMQ_POLLIN, 0}, {nullptr, stop_fd_, ZMQ_POLLIN, 0}}};
    zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(left_ns / 1'000'000) + 1);
    if (items[1].revents != 0) return;
    AnswerAll();
    if (MonotonicNs() - refreshed_ns < kRefreshNs) continue;
    refreshed_ns = MonotonicNs();
    gate_.Refresh();
  }
}

void TrackerContext::ZapHandler::AnswerAll() {
  std::vector<std::string> parts;
  // Bounded, so that a flood does not delay the reading of the list.
  for (int i = 0; i < 1000 && ReceiveParts(socket_, &parts); ++i) {
    const bool is_curve =
        parts.size() == kCurveParts && parts[0] == "1.0" && parts[5] == "CURVE" && parts[6].size() == kCurveKeyBytes;
    const std::string key = is_curve ? KeyText(parts[6]) : "";
    const bool admitted = gate_.Admits(key, parts.size() > 3 ? PlainIp(parts[3]) : "") && is_curve;
    SendParts(socket_, {"1.0", parts.size() > 1 ? parts[1] : "", admitted ? "200" : "400",
                        admitted ? "OK" : "not admitted", admitted ? key : "", ""});
  }
}

void RequireTrustedKeys(const ServerKeys& keys, const std::string& bind) {
  if (keys.folder.empty()) {
    RequireLoopback(bind);
    return;
  }
  ParseBindAddress(bind);
  Audit none("");
  Gatekeeper(KeyFolder(keys.folder), none);
}

TrackerContext::TrackerContext(const ServerKeys& keys) : audit_(AuditPath(keys)) {
  Security security;
  if (!keys.folder.empty()) {
    gate_ = std::make_unique<Gatekeeper>(KeyFolder(keys.folder), audit_);
    security.own = gate_->keys();
    security.gate = gate_.get();
  }
  context_ = std::make_unique<SocketContext>(security);
  if (gate_) zap_ = std::make_unique<ZapHandler>(*context_, *gate_);
}

TrackerContext::~TrackerContext() = default;

}  // namespace hone
