#include "rpc_runner/tracker/ask_tracker.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr int64_t kRefusalCheckNs = 50'000'000;  // between checks for a refusal, which does not wake a wait

TrackerStatus AskOver(Socket& socket, const std::string& tracker, const Frame& question, int64_t timeout_ns) {
  socket.Send("", question);
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  Socket::Message message;
  while (!socket.Receive(&message)) {
    const int64_t left_ns = until_ns - MonotonicNs();
    const std::string refusal = socket.Refusal();
    if (!refusal.empty() || left_ns <= 0) socket.DropUnsent();
    if (!refusal.empty()) throw Error(ExitCode::kNotAuthorised, refusal);
    if (left_ns <= 0)
      throw Error(ExitCode::kNoRunner, fmt::format("no tracker answers at {}; start one with hone tracker", tracker));
    WaitForAny({&socket}, -1, std::min(left_ns, kRefusalCheckNs));
  }
  const Frame frame = DecodeFrame(message.bytes);
  if (frame.kind == FrameKind::kStatus && frame.parts.size() == 1) {
    return StatusFromJson(ParseJson(frame.parts[0], "the tracker's status"));
  }
  throw Error(ExitCode::kBadData,
              fmt::format("the tracker at {} says: {}", tracker, HeaderText(frame.header, "message")));
}

TrackerStatus Ask(const std::string& tracker, const Frame& question, int64_t timeout_ns, const ClientKeys& keys) {
  SocketContext context(ClientSecurity(keys, tracker));
  Socket socket(context, Socket::Kind::kDealer);
  socket.Connect(tracker);
  return AskOver(socket, tracker, question, timeout_ns);
}

}  // namespace

struct TrackerConnection::Line {
  explicit Line(const Security& security) : context(security) {}
  SocketContext context;
  Socket socket{context, Socket::Kind::kDealer};
};

TrackerConnection::TrackerConnection(std::string tracker, const ClientKeys& keys)
    : tracker_(std::move(tracker)), line_(std::make_unique<Line>(ClientSecurity(keys, tracker_))) {
  line_->socket.Connect(tracker_);
}

TrackerConnection::~TrackerConnection() = default;

TrackerStatus TrackerConnection::Query(int64_t timeout_ns) {
  // Drops answers that came too late for earlier queries.
  for (Socket::Message late; line_->socket.Receive(&late);) {
  }
  return AskOver(line_->socket, tracker_, {FrameKind::kStatusQuery, Json::object(), {}}, timeout_ns);
}

TrackerStatus QueryTracker(const std::string& tracker, int64_t timeout_ns, const ClientKeys& keys) {
  return Ask(tracker, {FrameKind::kStatusQuery, Json::object(), {}}, timeout_ns, keys);
}

TrackerStatus QueryHistory(const std::string& tracker, int64_t timeout_ns, const ClientKeys& keys) {
  TrackerStatus status = Ask(tracker, {FrameKind::kStatusQuery, {{"history", true}}, {}}, timeout_ns, keys);
  if (status.history) return status;
  throw Error(ExitCode::kNoRunner,
              fmt::format("the tracker at {} keeps no history: it is of an older version", tracker));
}

TrackerStatus CommandTracker(const std::string& tracker, const DeviceCommand& command, int64_t timeout_ns,
                             const ClientKeys& keys) {
  Json header = {{"command", command.command}, {"what", command.what}, {"user", command.user}};
  if (command.for_ns > 0) header["for_ns"] = command.for_ns;
  Frame frame{FrameKind::kCommand, std::move(header), {}};
  if (command.command == "upgrade") frame.parts = {command.program, command.signature};
  return Ask(tracker, frame, timeout_ns, keys);
}

std::string LocalUser() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  // getpwuid shares one buffer among threads, and several may begin to tune at once.
  passwd entry{};
  passwd* user = nullptr;
  std::array<char, 16'384> names{};
  getpwuid_r(getuid(), &entry, names.data(), names.size(), &user);
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : fmt::format("{}", getuid()), host.data())
      .substr(0, 128);
}

}  // namespace hone
