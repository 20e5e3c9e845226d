#include "rpc_runner/device/runner_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "core/error.h"
#include "core/random.h"
#include "rpc_runner/adapter/runtime_host.h"
#include "rpc_runner/device/lease_server.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr int64_t kServerLoopNs = 100'000'000;
// The most jobs in the executor. The rest wait here, where a client can still take them back.
constexpr size_t kMostRunning = 2;
constexpr int64_t kHelloSpreadNs = 300'000'000;
constexpr int64_t kProgramRequestNs = 5'000'000'000;  // between two requests for a program

// Reports a state when it changes, because it may repeat each second.
class ChangedMessages {
 public:
  // "" means that there is no message; the next text is then reported even if it was before.
  void LogIfChanged(const std::string& text) {
    if (text == last_) return;
    last_ = text;
    if (!text.empty()) LogError("hone-runner", text);
  }

 private:
  std::string last_;
};

// A single loop over the tracker, direct connections and the executor. When the runner's time is over, it takes no more
// jobs and finishes those it has begun.
class RunnerServer {
 public:
  RunnerServer(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd)
      : options_(options),
        id_(NewRandomName()),
        executor_(executor),
        poll_fd_(poll_fd),
        environment_(WithNames(executor_.Describe())),
        context_(ClientSecurity(options.keys, options.tracker)),
        tracker_(context_, Socket::Kind::kDealer),
        jitter_(static_cast<uint64_t>(MonotonicNs()) ^ static_cast<uint64_t>(getpid())),
        lease_server_(CapsOf(options.executor)) {
    if (options.health) {
      roofs_ = options.probes.roofs(*options.health, environment_);
      watch_.emplace(options.probes.watch(*options.health, environment_));
      reported_health_ = watch_->summary();
    }
    if (!options.runtimes.empty()) host_.emplace(options.runtimes, options.runtime_reads, options.executor);
    if (options.direct) {
      direct_socket_ = std::make_unique<Socket>(context_, Socket::Kind::kRouter);
      address_ = direct_socket_->Bind(options.bind);
    }
    // A random delay, so that a tracker that was busy for a while does not meet all runners at once.
    tracker_.ReconnectIfSilent(kSilenceNs + static_cast<int64_t>(jitter_.Below(kHeartbeatNs)));
    tracker_.Connect(options.tracker);
    const std::string at = address_.empty() ? "" : " at " + address_;
    WriteToStderr(fmt::format("runner \"{}\"{} offers itself to {}\n", options.key, at, options.tracker));
  }

  RunnerEnding Serve(const std::atomic<bool>* stop) {
    const int64_t begin_ns = MonotonicNs();
    SayHello();
    const auto is_over = [&] {
      return (options_.max_jobs > 0 && jobs_done_ >= options_.max_jobs) || (options_.once && served_) ||
             (options_.lifetime_ns > 0 && MonotonicNs() - begin_ns > options_.lifetime_ns);
    };
    while (!*stop && !is_over() && !upgraded_) Step(true);
    while (!*stop && IsRunning()) Step(false);
    EndLease();
    tracker_.Send("", {FrameKind::kBye, {{"runner", id_}}, {}});
    return upgraded_ ? RunnerEnding::kUpgraded : RunnerEnding::kOver;
  }

 private:
  // The connection to the lease's client: through the tracker, or direct, by the client's latest connection.
  struct Route {
    bool direct = false;
    std::string peer;
  };

  // Adds the names under which the tracker knows this runner.
  Environment WithNames(Environment environment) const {
    environment.key = options_.key;
    environment.label = options_.label.empty() ? environment.host : options_.label;
    return environment;
  }

  void Step(bool accepts_jobs) {
    std::vector<const Socket*> sockets = {&tracker_};
    if (direct_socket_) sockets.push_back(direct_socket_.get());
    const int ended_fd = in_runtime_ ? host_->fd() : running_.empty() ? -1 : poll_fd_();
    WaitForAny(sockets, ended_fd, kServerLoopNs);
    Socket::Message message;
    for (int i = 0; i < 64 && tracker_.Receive(&message); ++i) FromTracker(message);
    for (int i = 0; direct_socket_ && i < 64 && direct_socket_->Receive(&message); ++i) FromDirectClient(message);
    refusals_.LogIfChanged(tracker_.Refusal());  // it may be admitted later, and the library tries again
    const bool is_silent = MonotonicNs() - tracker_heard_ns_ > kSilenceNs;
    absences_.LogIfChanged(is_silent && tracker_.Refusal().empty()
                               ? fmt::format("no tracker answers at {}; it is tried until one does", options_.tracker)
                               : "");
    if (accepts_jobs) StartJobs();
    TakeResults();
    if (in_runtime_) TakeFromRuntime();
    if (!IsRunning() && IsHealthCheckDue()) CheckHealth();
    const int64_t now_ns = MonotonicNs();
    if (options_.upgrade) AdvanceUpgrade(now_ns);
    if (!lease_server_.lease().empty() && now_ns - client_heard_ns_ > kLeaseNs) EndLease();
    if (now_ns >= hello_ns_) SayHello();
    if (now_ns - heartbeat_ns_ >= kHeartbeatNs) SendHeartbeat(now_ns);
  }

  bool IsRunning() const { return !running_.empty() || in_runtime_; }

  bool IsHealthCheckDue() const { return lease_server_.wants_health_check() || (watch_ && watch_->IsDue()); }

  void CheckHealth() {
    if (watch_) watch_->RunCheck();
    if (lease_server_.OnHealthCheck(watch_ ? watch_->why() : "")) SendToClient(lease_server_.Heartbeat());
    if (watch_) ReportHealth();
  }

  void ReportHealth() {
    if (watch_->summary() == reported_health_) return;
    reported_health_ = watch_->summary();
    if (!watch_->may_be_offered()) EndLease();
    SayHello();
  }

  // Between leases: asks for the program of a pending upgrade, and becomes it after a successful trial.
  void AdvanceUpgrade(int64_t now_ns) {
    if (!trial_ && !wanted_program_.empty() && lease_server_.lease().empty() && !IsRunning() &&
        now_ns - requested_ns_ > kProgramRequestNs) {
      requested_ns_ = now_ns;
      tracker_.Send("", {FrameKind::kNeed, {{"runner", id_}, {"sha256", wanted_program_}}, {}});
    }
    if (!trial_) return;
    try {
      if (!trial_->IsTried(now_ns)) return;
      trial_->PutInPlace();
      upgraded_ = true;
    } catch (const Error& error) {
      RejectUpgrade(trial_->sha256(), error.what());
    }
    trial_.reset();
  }

  void StartTrial(const Frame& blob) {
    const std::string sha256 = HeaderText(blob.header, "sha256");
    if (!options_.upgrade || trial_ || sha256 != wanted_program_ || !lease_server_.lease().empty()) return;
    try {
      if (blob.parts.size() != 2) throw Error(ExitCode::kBadData, "the tracker's blob is no program with a signature");
      trial_ = std::make_unique<ProgramUpgrade>(program_, *options_.upgrade, blob.parts[0], blob.parts[1]);
      if (trial_->sha256() != sha256) throw Error(ExitCode::kBadData, "the tracker's program is not the one wanted");
    } catch (const Error& error) {
      trial_.reset();
      RejectUpgrade(sha256, error.what());
    }
  }

  void RejectUpgrade(const std::string& sha256, const std::string& why) {
    messages_.LogIfChanged(fmt::format("not upgraded: {}", why));
    wanted_program_.clear();
    SayHello({{"sha256", sha256}, {"why", why}});
  }

  // `not_upgraded`: the program of a failed upgrade, and the reason.
  void SayHello(const Json& not_upgraded = nullptr) {
    hello_ns_ = INT64_MAX;
    Environment environment = environment_;
    environment.roofs = RoofsText(roofs_);
    if (watch_) watch_->Stamp(&environment);
    Frame hello{FrameKind::kHello,
                {{"runner", id_},
                 {"key", options_.key},
                 {"label", environment_.label},
                 {"environment", ToJson(environment)},
                 {"lease", lease_server_.lease()},
                 {"holder", holder_},
                 {"note", note_},
                 {"jobs_done", jobs_done_}},
                {}};
    if (!address_.empty()) hello.header["address"] = address_;
    if (!options_.boot.empty()) hello.header["boot"] = options_.boot;
    hello.header["program"] = {
        {"version", program_.version}, {"sha256", program_.sha256}, {"upgrades", options_.upgrade.has_value()}};
    if (!not_upgraded.is_null()) hello.header["upgrade"] = not_upgraded;
    if (host_) hello.header["runtimes"] = host_->told();
    if (watch_) hello.header["health"] = watch_->ToJson();
    if (watch_) hello.header["roofs"] = ToJson(roofs_);
    tracker_.Send("", hello);
  }

  void SendHeartbeat(int64_t now_ns) {
    heartbeat_ns_ = now_ns;
    tracker_.Send(
        "",
        {FrameKind::kHeartbeat, {{"runner", id_}, {"lease", lease_server_.lease()}, {"jobs_done", jobs_done_}}, {}});
    if (!lease_server_.lease().empty()) SendToClient(lease_server_.Heartbeat());
  }

  void SendToClient(Frame frame) {
    frame.lease = lease_server_.lease();
    client_.direct ? direct_socket_->Send(client_.peer, frame) : tracker_.Send("", frame);
  }

  void FromTracker(const Socket::Message& message) {
    tracker_heard_ns_ = MonotonicNs();
    try {
      const Frame frame = DecodeFrame(message.bytes);
      if (!frame.lease.empty()) {
        FromClient(frame, {false, ""});
      } else if (frame.kind == FrameKind::kLeaseOffer) {
        AcceptLease(HeaderText(frame.header, "lease"), HeaderText(frame.header, "holder"));
      } else if (frame.kind == FrameKind::kLeaseEnd) {
        if (HeaderText(frame.header, "lease") == lease_server_.lease()) EndLease();
      } else if (frame.kind == FrameKind::kHeartbeat) {
        if (frame.header.contains("note")) note_ = HeaderText(frame.header, "note");
        wanted_program_ = frame.header.contains("upgrade") ? HeaderText(frame.header, "upgrade") : "";
      } else if (frame.kind == FrameKind::kBlob) {
        StartTrial(frame);
      } else if (frame.kind == FrameKind::kError) {
        OnTrackerError(frame.header);
      }
    } catch (const Error& error) {
      messages_.LogIfChanged(fmt::format("from the tracker: {}", error.what()));
    }
  }

  void OnTrackerError(const Json& header) {
    const std::string code = HeaderText(header, "code");
    if (code == "unknown_runner") {
      // A random delay, so that a returning tracker does not meet all runners at once.
      if (hello_ns_ == INT64_MAX) hello_ns_ = MonotonicNs() + static_cast<int64_t>(jitter_.Below(kHelloSpreadNs));
    } else if (code == "no_lease") {
      // The tracker does not know this connection yet, unless it means a lease that is over.
      const bool ours = header.contains("lease") && HeaderText(header, "lease") == lease_server_.lease();
      if (ours && MonotonicNs() - heartbeat_ns_ > kAnnounceNs) SendHeartbeat(MonotonicNs());
    } else {
      messages_.LogIfChanged("the tracker says: " + HeaderText(header, "message"));
    }
  }

  void AcceptLease(const std::string& lease, const std::string& holder) {
    // If an older lease still holds, the tracker learns of it from the next heartbeat.
    if (!lease_server_.lease().empty() || trial_ || (watch_ && !watch_->may_be_offered())) return;
    lease_server_.Begin(lease);
    if (watch_) watch_->RequestCheck();
    holder_ = holder;
    client_ = {};
    client_heard_ns_ = MonotonicNs();
    tracker_.Send("", {FrameKind::kLeaseTaken, {{"runner", id_}, {"lease", lease}}, {}});
  }

  void EndLease() {
    if (lease_server_.lease().empty()) return;
    SendToClient(lease_server_.Heartbeat(FrameKind::kLeaseEnd));
    if (in_runtime_) host_->Cancel();
    waits_for_runtime_.reset();
    client_ = {};
    holder_.clear();
    served_ = true;
    lease_server_.Begin("");
    if (watch_) watch_->RequestCheck();
    SendHeartbeat(MonotonicNs());
  }

  void FromDirectClient(const Socket::Message& message) {
    try {
      const Frame frame = DecodeFrame(message.bytes);
      const bool is_holder = message.sender.May(Role::kTuner) && message.sender.name == holder_;
      if (!is_holder || frame.lease.empty() || frame.lease != lease_server_.lease()) {
        Frame answer = ErrorFrame("no_lease", "the sender is no end of that lease");
        answer.lease = frame.lease;
        direct_socket_->Send(message.peer, answer);
        return;
      }
      FromClient(frame, {true, message.peer});
      // Shows the client at once that the direct connection works.
      if (frame.kind == FrameKind::kHeartbeat) SendToClient({FrameKind::kHeartbeat, Json::object(), {}});
    } catch (const Error& error) {
      const char* code = IsOtherVersion(message.bytes) ? "unsupported_version" : "bad_frame";
      direct_socket_->Send(message.peer, ErrorFrame(code, error.what()));
    }
  }

  void FromClient(const Frame& frame, const Route& route) {
    bool for_us = false;
    const std::vector<Frame> answers = lease_server_.Handle(frame, &for_us);
    if (for_us) {
      client_ = route;
      client_heard_ns_ = MonotonicNs();
    }
    for (const Frame& answer : answers)
      route.direct ? direct_socket_->Send(route.peer, answer) : tracker_.Send("", answer);
  }

  void StartJobs() {
    if (IsHealthCheckDue()) return;  // golden runs come first, once the running jobs are done
    const auto may_start = [this] {
      const auto begun = jobs_done_ + static_cast<int64_t>(running_.size());
      return running_.size() < kMostRunning && executor_.FreeSlots() > 0 &&
             (options_.max_jobs == 0 || begun < options_.max_jobs);
    };
    while (!in_runtime_ && may_start()) {
      std::optional<JobMessage> message =
          waits_for_runtime_ ? std::exchange(waits_for_runtime_, std::nullopt) : lease_server_.NextJob();
      if (!message) return;
      if (message->runtime) return StartRuntime(std::move(*message));
      const JobId id = message->package ? executor_.SubmitPackage(std::move(*message->package))
                                        : executor_.Submit(std::move(message->job));
      message->job = KernelJob();
      message->package.reset();
      running_.emplace(id, std::move(*message));
    }
  }

  // A runtime's job runs alone. It waits until the executor has done those before it.
  void StartRuntime(JobMessage message) {
    if (!host_) {
      Finish(message, {message.id, FailedMeasurement(Fate::kUnsupported, 0, NotOffered(message.runtime->runtime, {}))});
    } else if (!running_.empty()) {
      waits_for_runtime_ = std::move(message);
    } else {
      host_->Start(*message.runtime, environment_.cores);
      message.runtime.reset();
      in_runtime_ = std::move(message);
    }
  }

  void TakeFromRuntime() {
    std::optional<JobResult> result = host_->Take();
    if (!result) return;
    result->measurement.environment = environment_;
    Finish(*std::exchange(in_runtime_, std::nullopt), std::move(*result));
  }

  void TakeResults() {
    JobResult result;
    while (!running_.empty() && executor_.Wait(0, &result)) {
      const auto job = running_.find(result.id);
      Finish(job->second, std::move(result));
      running_.erase(job);
    }
  }

  void Finish(const JobMessage& job, JobResult result) {
    ++jobs_done_;
    result.measurement.environment = WithNames(std::move(result.measurement.environment));
    result.measurement.environment.roofs = RoofsText(roofs_);
    // A result does not count if the machine is another one than the lease was taken for.
    if (watch_ && !watch_->IsSameMachine()) {
      lease_server_.OnHealthCheck(watch_->why());
      ReportHealth();
    }
    if (watch_) watch_->Stamp(&result.measurement);
    const std::optional<Frame> frame =
        lease_server_.Finish(job, result.measurement, result.cost, std::move(result.outputs), result.runtime);
    if (frame) SendToClient(*frame);
  }

  const RunnerServerOptions options_;
  const std::string id_;
  Runner& executor_;
  const std::function<int()> poll_fd_;
  const Environment environment_;
  std::optional<HealthWatch> watch_;
  std::string reported_health_;  // its summary
  std::vector<Roof> roofs_;      // none without a watch
  SocketContext context_;
  Socket tracker_;
  std::unique_ptr<Socket> direct_socket_;  // for direct connections of tuners; null unless options_.direct
  Random jitter_;
  ChangedMessages messages_, refusals_, absences_;
  int64_t tracker_heard_ns_ = MonotonicNs();
  std::string address_;  // the address of direct_socket_
  LeaseServer lease_server_;
  std::string holder_;  // the name of the sender that has the lease
  std::string note_;    // the tracker's note, to be given to the next tracker
  const RunningProgram& program_ = ThisProgram();
  std::string wanted_program_;  // the SHA-256 of the program that the tracker wants here; empty: none
  int64_t requested_ns_ = -kProgramRequestNs;
  std::unique_ptr<ProgramUpgrade> trial_;  // null: no upgrade is being tried
  bool upgraded_ = false;
  Route client_;
  bool served_ = false;  // whether a lease was served and is over
  int64_t client_heard_ns_ = 0;
  int64_t heartbeat_ns_ = 0;
  int64_t hello_ns_ = INT64_MAX;  // when to say hello again
  int64_t jobs_done_ = 0;
  std::map<JobId, JobMessage> running_;  // by the executor's id
  std::optional<RuntimeHost> host_;      // absent: no runtime is offered
  std::optional<JobMessage> in_runtime_, waits_for_runtime_;
};

}  // namespace

RunnerEnding ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                           const std::atomic<bool>* stop) {
  RequireLoopback(options.bind);
  return RunnerServer(options, executor, poll_fd).Serve(stop);
}

RunnerEnding ServeRunner(const RunnerServerOptions& options, const std::atomic<bool>* stop) {
  RequireLoopback(options.bind);
  const Security security = ClientSecurity(options.keys, options.tracker);
  if (options.direct && !security.server_key.empty()) {
    WriteToStderr("hone-runner: note: the tracker has keys, so tuners speak through it: --direct does nothing\n");
  }
  RunnerServerOptions named = options;
  if (named.boot.empty()) named.boot = FirstLineOf("/proc/sys/kernel/random/boot_id");
  LocalRunner executor(options.executor);
  return ServeExecutor(named, executor, [&executor] { return executor.PollFd(); }, stop);
}

}  // namespace hone
