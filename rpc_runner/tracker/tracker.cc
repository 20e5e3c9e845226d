#include "rpc_runner/tracker/tracker.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "core/error.h"
#include "rpc_runner/keys/tracker_context.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/tracker/fleet_status.h"
#include "rpc_runner/tracker/http_page.h"
#include "rpc_runner/tracker/outbox.h"
#include "rpc_runner/tracker/tracker_state.h"
#include "rpc_runner/wire/socket.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr int64_t kTickNs = 100'000'000;
constexpr int64_t kNoteNs = 1'000'000'000;
constexpr int64_t kFlushNs = 1'000'000;  // how soon a full connection is tried again

void WritePortFile(const std::string& path, const std::string& address) {
  if (path.empty()) return;
  // Replaced atomically, so that a reader sees the whole line or no file.
  if (!ReplaceSmallFile(path, address + "\n"))
    throw Error(ExitCode::kCannotCreate, fmt::format("cannot write the port file {}", path));
}

class Tracker {
 public:
  Tracker(const TrackerOptions& options, const std::function<void(const std::string& address)>& serving)
      : secured_(options.keys),
        socket_(secured_.context(), Socket::Kind::kRouter),
        hooks_(options.hooks, secured_.audit()),
        outbox_([this](const std::string& peer, std::string& bytes) { return socket_.SendBytes(peer, bytes); }),
        begun_ns_(MonotonicNs()) {
    if (!options.metrics.empty()) {
      page_ = std::make_unique<HttpPage>(options.metrics, [this](const std::string& path) { return PageAt(path); });
    }
    const std::string address = socket_.Bind(options.bind);
    WriteToStderr(fmt::format("tracker listening on {}\n", address));
    if (serving) serving(address);
    WritePortFile(options.port_file, address);
  }

  void Serve(const std::atomic<bool>* stop) {
    int64_t tick_ns = 0;
    while (!*stop) {
      WaitForAny({&socket_}, page_ ? page_->fd() : -1, outbox_.empty() ? kTickNs : kFlushNs);
      Socket::Message message;
      // Bounded, so that a flood does not delay the clock.
      for (int i = 0; i < 1000 && socket_.Receive(&message); ++i) Take(message);
      WriteAudit();
      outbox_.Flush();
      if (page_) page_->Serve();
      if (MonotonicNs() - tick_ns < kTickNs) continue;
      tick_ns = MonotonicNs();
      SendAll(state_.Tick(tick_ns));
      if (tick_ns - noted_ns_ >= kNoteNs) NoteDevices(tick_ns);
      WriteAudit();
    }
  }

 private:
  // Writes which devices were leased and released.
  void WriteAudit() {
    for (const LeaseChange& change : state_.TakeLeaseChanges()) {
      const int64_t now_ms = Audit::NowMs();
      const int64_t from_ms = leased_ms_.try_emplace(change.lease, now_ms).first->second;
      secured_.audit().Lease(
          {change.lease, change.device, change.key, change.holder, change.label, from_ms, change.begins ? 0 : now_ms});
      if (!change.begins) leased_ms_.erase(change.lease);
    }
  }

  // Once a second, since a status is made of all that the tracker knows.
  void NoteDevices(int64_t now_ns) {
    noted_ns_ = now_ns;
    hooks_.Run(history_.Note(state_.Status(now_ns), Audit::NowMs()), now_ns);
    hooks_.Reap(now_ns);
  }

  // Any peer that may connect may ask for a status.
  void SendHistory(const std::string& peer) {
    TrackerStatus status = state_.Status(MonotonicNs());
    status.history = history_.All();
    SendFrame(peer, {FrameKind::kStatus, Json::object(), {DumpJson(StatusToJson(status))}});
  }

  void Take(Socket::Message& message) {
    try {
      const FrameHead head = ReadFrameHead(message.bytes);
      if (!head.lease.empty()) return Relay(head, message);
      const Frame frame = DecodeFrame(message.bytes);
      const bool history = frame.kind == FrameKind::kStatusQuery && frame.header.contains("history");
      if (history && frame.header["history"] == true) return SendHistory(message.peer);
      SendAll(state_.Handle({message.peer, message.sender}, frame, MonotonicNs()));
    } catch (const Error& error) {
      ++bad_frames_;
      SendFrame(message.peer,
                ErrorFrame(IsOtherVersion(message.bytes) ? "unsupported_version" : "bad_frame", error.what()));
    }
  }

  void Relay(const FrameHead& head, Socket::Message& message) {
    Frame answer;
    const std::optional<std::string> to = state_.Route({message.peer, message.sender}, head, &answer);
    if (!to) return SendFrame(message.peer, answer);
    const auto size = static_cast<int64_t>(message.bytes.size());
    if (outbox_.Send(*to, message.bytes)) {
      ++relayed_frames_;
      relayed_bytes_ += size;
    } else if (head.kind == FrameKind::kJob) {
      // The job waits at its sender, which learns of lost frames of other kinds by the heartbeats.
      SendFrame(message.peer, BusyWith(DecodeFrame(message.bytes)));
    }
  }

  static Frame BusyWith(const Frame& job) {
    Frame answer = ErrorFrame("busy", "the way to the runner is full");
    answer.lease = job.lease;
    for (const char* name : {"job", "attempt"}) {
      if (job.header.contains(name)) answer.header[name] = job.header[name];
    }
    return answer;
  }

  void SendFrame(const std::string& peer, const Frame& frame) {
    try {
      std::string bytes = EncodeFrame(frame);
      // A peer that cannot be reached is noticed by its silence.
      static_cast<void>(outbox_.Send(peer, bytes));
    } catch (const Error& error) {
      LogError("hone tracker", error.what());
    }
  }

  void SendAll(const std::vector<TrackerState::Outgoing>& outgoing) {
    for (const auto& [peer, frame] : outgoing) SendFrame(peer, frame);
  }

  HttpPage::Answer PageAt(const std::string& path) {
    if (path == "/healthz") return {200, "ok\n"};
    if (path != "/metrics") return {404, "there are /metrics and /healthz\n"};
    const int64_t now_ns = MonotonicNs();
    return {200, AvailabilityMetrics(history_.All()) +
                     MetricsText({state_.Status(now_ns), state_.counts(), relayed_frames_, relayed_bytes_,
                                  outbox_.dropped(), static_cast<int64_t>(outbox_.bytes()), bad_frames_,
                                  now_ns - begun_ns_, secured_.audit().RefusalCounts()})};
  }

  TrackerContext secured_;
  Socket socket_;
  TrackerState state_;
  DeviceHistory history_;
  DeviceHooks hooks_;
  int64_t noted_ns_ = 0;
  Outbox outbox_;
  std::unique_ptr<HttpPage> page_;
  std::map<std::string, int64_t> leased_ms_;  // when each lease began, by lease, in ms since 1970
  const int64_t begun_ns_;
  int64_t relayed_frames_ = 0, relayed_bytes_ = 0, bad_frames_ = 0;
};

}  // namespace

void ServeTracker(const TrackerOptions& options, const std::atomic<bool>* stop,
                  const std::function<void(const std::string& address)>& serving) {
  Tracker(options, serving).Serve(stop);
}

}  // namespace hone
