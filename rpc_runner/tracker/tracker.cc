#include "rpc_runner/tracker/tracker.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/tracker/tracker_state.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr int64_t kTickNs = 100'000'000;

void SendAll(Socket& socket, const std::vector<TrackerState::Outgoing>& outgoing) {
  // Whoever cannot be reached now says so by its silence.
  for (const auto& [peer, frame] : outgoing) socket.Send(peer, frame);
}

void Answer(Socket& socket, TrackerState& state, const Socket::Message& message) {
  try {
    SendAll(socket, state.Handle(message.peer, DecodeFrame(message.bytes), MonotonicNs()));
  } catch (const Error& error) {
    const char* code = IsOtherVersion(message.bytes) ? "unsupported_version" : "bad_frame";
    socket.Send(message.peer, ErrorFrame(code, error.what()));
  }
}

void WritePortFile(const std::string& path, const std::string& address) {
  if (path.empty()) return;
  const std::string partial = path + ".partial";
  std::ofstream file(partial);
  file << address << "\n";
  file.close();
  // A reader sees the whole line or no file.
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    throw Error(ExitCode::kCannotCreate, fmt::format("cannot write the port file {}", path));
  }
}

}  // namespace

void ServeTracker(const TrackerOptions& options, const std::atomic<bool>* stop) {
  SocketContext context;
  Socket socket(context, Socket::Kind::kRouter);
  const std::string address = socket.Bind(options.bind);
  WriteToStderr(fmt::format("tracker listening on {}\n", address));
  WritePortFile(options.port_file, address);
  TrackerState state;
  int64_t tick_ns = 0;
  while (!*stop) {
    WaitForAny({&socket}, -1, kTickNs);
    Socket::Message message;
    // Bounded, so that a flood does not keep us from the clock.
    for (int i = 0; i < 1000 && socket.Receive(&message); ++i) Answer(socket, state, message);
    if (MonotonicNs() - tick_ns < kTickNs) continue;
    tick_ns = MonotonicNs();
    SendAll(socket, state.Tick(tick_ns));
  }
}

TrackerStatus QueryTracker(const std::string& tracker, int64_t timeout_ns) {
  SocketContext context;
  Socket socket(context, Socket::Kind::kDealer);
  socket.Connect(tracker);
  socket.Send("", {FrameKind::kStatusQuery, Json::object(), {}});
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  Socket::Message message;
  while (!socket.Receive(&message)) {
    const int64_t left_ns = until_ns - MonotonicNs();
    if (left_ns <= 0)
      throw Error(ExitCode::kNoRunner, fmt::format("no tracker answers at {}; start one with hone tracker", tracker));
    WaitForAny({&socket}, -1, left_ns);
  }
  const Frame frame = DecodeFrame(message.bytes);
  if (frame.kind == FrameKind::kStatus) return StatusFromJson(frame.header);
  throw Error(ExitCode::kBadData,
              fmt::format("the tracker at {} says: {}", tracker, HeaderText(frame.header, "message")));
}

}  // namespace hone
