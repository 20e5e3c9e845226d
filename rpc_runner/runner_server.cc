#include "rpc_runner/runner_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/error.h"
#include "core/printable.h"
#include "core/random.h"
#include "rpc_runner/lease_desk.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/tracker/lease_times.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr int64_t kLoopNs = 100'000'000;
// The rest waits here, from where a client can have it back.
constexpr size_t kRunning = 2;
constexpr int64_t kHelloSpreadNs = 300'000'000;

// One loop over the tracker, the client and the executor.
class RunnerServer {
 public:
  RunnerServer(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd)
      : options_(options),
        id_(NewRandomName()),
        executor_(executor),
        poll_fd_(poll_fd),
        environment_(Registered(executor_.Describe())),
        tracker_(context_, Socket::Kind::kDealer),
        clients_(context_, Socket::Kind::kRouter),
        jitter_(static_cast<uint64_t>(MonotonicNs()) ^ static_cast<uint64_t>(getpid())) {
    address_ = clients_.Bind(options.bind);
    tracker_.Connect(options.tracker);
    WriteToStderr(fmt::format("runner \"{}\" at {} offers itself to {}\n", options.key, address_, options.tracker));
  }

  void Serve(const std::atomic<bool>* stop) {
    const int64_t begin_ns = MonotonicNs();
    SayHello();
    const auto leaving = [&] {
      return *stop || (options_.max_jobs > 0 && jobs_done_ >= options_.max_jobs) ||
             (options_.lifetime_ns > 0 && MonotonicNs() - begin_ns > options_.lifetime_ns);
    };
    while (!leaving()) Turn(true);
    while (!*stop && !running_.empty()) Turn(false);
    EndLease();
    tracker_.Send("", {FrameKind::kBye, {{"runner", id_}}, {}});
  }

 private:
  // With the names under which the tracker knows us.
  Environment Registered(Environment environment) const {
    environment.key = options_.key;
    environment.label = options_.label.empty() ? environment.host : options_.label;
    return environment;
  }

  void Turn(bool take_more) {
    WaitForAny({&tracker_, &clients_}, running_.empty() ? -1 : poll_fd_(), kLoopNs);
    Socket::Message message;
    while (tracker_.Receive(&message)) FromTracker(message);
    for (int i = 0; i < 64 && clients_.Receive(&message); ++i) FromClient(message);
    if (take_more) StartJobs();
    TakeResults();
    const int64_t now_ns = MonotonicNs();
    if (!desk_.lease().empty() && now_ns - client_heard_ns_ > kLeaseNs) EndLease();
    if (now_ns >= hello_ns_) SayHello();
    if (now_ns - beat_ns_ >= kBeatNs) Beat(now_ns);
  }

  void SayHello() {
    hello_ns_ = INT64_MAX;
    tracker_.Send("", {FrameKind::kHello,
                       {{"runner", id_},
                        {"key", options_.key},
                        {"label", environment_.label},
                        {"address", address_},
                        {"environment", ToJson(environment_)},
                        {"lease", desk_.lease()},
                        {"jobs_done", jobs_done_}},
                       {}});
  }

  void Beat(int64_t now_ns) {
    beat_ns_ = now_ns;
    tracker_.Send("",
                  {FrameKind::kHeartbeat, {{"runner", id_}, {"lease", desk_.lease()}, {"jobs_done", jobs_done_}}, {}});
    if (!client_.empty()) clients_.Send(client_, {FrameKind::kHeartbeat, {{"lease", desk_.lease()}}, {}});
  }

  void FromTracker(const Socket::Message& message) {
    try {
      const Frame frame = DecodeFrame(message.bytes);
      if (frame.kind == FrameKind::kLeaseOffer) {
        TakeLease(HeaderText(frame.header, "lease"));
      } else if (frame.kind == FrameKind::kLeaseEnd) {
        if (HeaderText(frame.header, "lease") == desk_.lease()) EndLease();
      } else if (frame.kind == FrameKind::kError) {
        OnTrackerError(HeaderText(frame.header, "code"), HeaderText(frame.header, "message"));
      }
    } catch (const Error& error) {
      WriteToStderr(ErrorLine("hone-runner", fmt::format("from the tracker: {}", error.what())));
    }
  }

  void OnTrackerError(const std::string& code, const std::string& text) {
    if (code != "unknown_runner") {
      WriteToStderr(ErrorLine("hone-runner", "the tracker says: " + text));
      return;
    }
    // Spread, so that a tracker that comes back is not met by everybody at once.
    hello_ns_ = MonotonicNs() + static_cast<int64_t>(jitter_.Below(kHelloSpreadNs));
  }

  void TakeLease(const std::string& lease) {
    // The tracker learns of a lease that still holds from our next beat.
    if (!desk_.lease().empty()) return;
    desk_.Begin(lease);
    client_.clear();
    client_heard_ns_ = MonotonicNs();
    tracker_.Send("", {FrameKind::kLeaseTaken, {{"runner", id_}, {"lease", lease}}, {}});
  }

  void EndLease() {
    if (!client_.empty()) clients_.Send(client_, {FrameKind::kLeaseEnd, {{"lease", desk_.lease()}}, {}});
    client_.clear();
    desk_.Begin("");
    Beat(MonotonicNs());
  }

  void FromClient(const Socket::Message& message) {
    try {
      bool for_us = false;
      const std::vector<Frame> answers = desk_.Handle(DecodeFrame(message.bytes), &for_us);
      if (for_us) {
        client_ = message.peer;
        client_heard_ns_ = MonotonicNs();
      }
      for (const Frame& answer : answers) clients_.Send(message.peer, answer);
    } catch (const Error& error) {
      const char* code = IsOtherVersion(message.bytes) ? "unsupported_version" : "bad_frame";
      clients_.Send(message.peer, ErrorFrame(code, error.what()));
    }
  }

  void StartJobs() {
    const auto may_start = [this] {
      const auto begun = jobs_done_ + static_cast<int64_t>(running_.size());
      return running_.size() < kRunning && executor_.FreeSlots() > 0 &&
             (options_.max_jobs == 0 || begun < options_.max_jobs);
    };
    while (may_start()) {
      std::optional<JobMessage> message = desk_.NextJob();
      if (!message) return;
      const JobId id = message->package ? executor_.SubmitPackage(std::move(*message->package))
                                        : executor_.Submit(std::move(message->job));
      message->job = KernelJob();
      message->package.reset();
      running_.emplace(id, std::move(*message));
    }
  }

  void TakeResults() {
    JobResult result;
    while (!running_.empty() && executor_.Wait(0, &result)) {
      const auto job = running_.find(result.id);
      ++jobs_done_;
      result.measurement.environment = Registered(std::move(result.measurement.environment));
      const std::optional<Frame> frame = desk_.Finish(job->second, result.measurement, result.cost);
      if (frame && !client_.empty()) clients_.Send(client_, *frame);
      running_.erase(job);
    }
  }

  const RunnerServerOptions options_;
  const std::string id_;
  Runner& executor_;
  const std::function<int()> poll_fd_;
  const Environment environment_;
  SocketContext context_;
  Socket tracker_;
  Socket clients_;
  Random jitter_;
  std::string address_;
  LeaseDesk desk_;
  std::string client_;  // the lease's client, as the socket names it; empty until it has spoken
  int64_t client_heard_ns_ = 0;
  int64_t beat_ns_ = 0;
  int64_t hello_ns_ = INT64_MAX;  // when to introduce ourselves again
  int64_t jobs_done_ = 0;
  std::map<JobId, JobMessage> running_;  // by the executor's id
};

}  // namespace

void ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                   const std::atomic<bool>* stop) {
  RequireLoopback(options.tracker);
  RequireLoopback(options.bind);
  RunnerServer(options, executor, poll_fd).Serve(stop);
}

void ServeRunner(const RunnerServerOptions& options, const std::atomic<bool>* stop) {
  RequireLoopback(options.tracker);
  RequireLoopback(options.bind);
  LocalRunner executor(options.executor);
  ServeExecutor(options, executor, [&executor] { return executor.PollFd(); }, stop);
}

}  // namespace hone
