#include "bench/fleet/simulated_runners.h"

#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone::bench {
namespace {

constexpr int64_t kLoopNs = 50'000'000;

Environment SomeMachine(int number) {
  Environment machine;
  machine.host = fmt::format("m{}", number);
  machine.cpu_model = "Simulated CPU";
  machine.cpu_id = "Simulated-1-1-1";
  machine.features = "avx avx2 avx512bw avx512dq avx512f avx512vl bmi bmi2 fma popcnt sse4.1 sse4.2";
  machine.cores = 4;
  return machine;
}

// One connection to the tracker.
class Peer {
 public:
  Peer(SocketContext& context, const std::string& tracker)
      : name_(NewRandomName()), socket_(std::make_unique<Socket>(context, Socket::Kind::kDealer)) {
    socket_->Connect(tracker);
  }
  const Socket& socket() const { return *socket_; }

 protected:
  void Say(FrameKind kind, Json header, const std::string& lease = "") {
    socket_->Send("", {kind, std::move(header), {}, lease});
  }
  bool Receive(Frame* frame) {
    Socket::Message message;
    if (!socket_->Receive(&message)) return false;
    *frame = DecodeFrame(message.bytes);
    return true;
  }

  std::string name_;
  std::unique_ptr<Socket> socket_;
};

class SimulatedRunner : public Peer {
 public:
  SimulatedRunner(SocketContext& context, const std::string& tracker, const std::string& key, int number)
      : Peer(context, tracker), key_(key), machine_(SomeMachine(number)) {
    Hello();
  }

  void Turn() {
    Frame frame;
    while (Receive(&frame)) On(frame);
    if (MonotonicNs() - beat_ns_ < kHeartbeatNs) return;
    beat_ns_ = MonotonicNs();
    Say(FrameKind::kHeartbeat, {{"runner", name_}, {"lease", lease_}, {"jobs_done", 0}});
    if (!lease_.empty()) Say(FrameKind::kHeartbeat, Json::object(), lease_);
  }

 private:
  void Hello() {
    Say(FrameKind::kHello, {{"runner", name_},
                            {"key", key_},
                            {"label", machine_.host},
                            {"environment", ToJson(machine_)},
                            {"lease", lease_},
                            {"jobs_done", 0}});
  }

  void On(const Frame& frame) {
    if (frame.kind == FrameKind::kLeaseOffer) {
      lease_ = HeaderText(frame.header, "lease");
      Say(FrameKind::kLeaseTaken, {{"runner", name_}, {"lease", lease_}});
    } else if (frame.kind == FrameKind::kLeaseEnd) {
      lease_.clear();
    } else if (frame.kind == FrameKind::kError && HeaderText(frame.header, "code") == "unknown_runner") {
      Hello();
    } else if (frame.kind == FrameKind::kJob) {
      Measurement measurement;
      measurement.samples_ns = {1};
      measurement.batch = {1};
      measurement.environment = machine_;
      Frame result = ResultToFrame({HeaderNumber(frame.header, "job"),
                                    static_cast<uint32_t>(HeaderNumber(frame.header, "attempt")), measurement});
      result.lease = frame.lease;
      socket_->Send("", result);
    }
  }

  const std::string key_;
  const Environment machine_;
  std::string lease_;
  int64_t beat_ns_ = 0;
};

class SimulatedTuner : public Peer {
 public:
  SimulatedTuner(SocketContext& context, const std::string& tracker, const std::string& key)
      : Peer(context, tracker), key_(key) {}

  // Returns whether a runner was granted in this turn.
  bool Turn() {
    Frame frame;
    bool granted = false;
    while (Receive(&frame)) {
      granted = granted || (frame.kind == FrameKind::kLease && lease_.empty());
      if (frame.kind == FrameKind::kLease) lease_ = HeaderText(frame.header, "lease");
    }
    if (MonotonicNs() - said_ns_ < kHeartbeatNs) return granted;
    said_ns_ = MonotonicNs();
    if (lease_.empty()) {
      Say(FrameKind::kLeaseRequest, {{"client", name_}, {"label", "bench"}, {"key", key_}});
    } else {
      Say(FrameKind::kHeartbeat, {{"client", name_}, {"lease", lease_}});
    }
    return granted;
  }

 private:
  const std::string key_;
  std::string lease_;
  int64_t said_ns_ = 0;
};

template <typename Peers>
void WaitFor(const Peers& peers) {
  std::vector<const Socket*> sockets;
  sockets.reserve(peers.size());
  for (const auto& peer : peers) sockets.push_back(&peer.socket());
  WaitForAny(sockets, -1, kLoopNs);
}

}  // namespace

SimulatedRunners::SimulatedRunners(const std::string& tracker, const ClientKeys& keys, const std::string& key,
                                   int count)
    : thread_([this, tracker, keys, key, count] { Serve(tracker, keys, key, count); }) {}

SimulatedRunners::~SimulatedRunners() {
  stop_ = true;
  thread_.join();
}

void SimulatedRunners::Serve(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count) {
  SocketContext context(ClientSecurity(keys, tracker));
  std::vector<SimulatedRunner> runners;
  for (int i = 0; i < count; ++i) runners.emplace_back(context, tracker, key, i);
  while (!stop_) {
    WaitFor(runners);
    for (SimulatedRunner& runner : runners) runner.Turn();
  }
}

SimulatedTuners::SimulatedTuners(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count)
    : thread_([this, tracker, keys, key, count] { Serve(tracker, keys, key, count); }) {}

SimulatedTuners::~SimulatedTuners() {
  stop_ = true;
  thread_.join();
}

void SimulatedTuners::Serve(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count) {
  SocketContext context(ClientSecurity(keys, tracker));
  std::vector<SimulatedTuner> tuners;
  for (int i = 0; i < count; ++i) tuners.emplace_back(context, tracker, key);
  while (!stop_) {
    WaitFor(tuners);
    for (SimulatedTuner& tuner : tuners) granted_ += tuner.Turn();
  }
}

}  // namespace hone::bench
