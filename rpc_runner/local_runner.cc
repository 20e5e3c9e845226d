#include "rpc_runner/local_runner.h"

#include <poll.h>

#include <algorithm>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr int kSlots = 3;
constexpr int kMostDeaths = 1;

// False when the descriptor did not become readable in time.
bool WaitReadable(int fd, int64_t until_ns) {
  for (;;) {
    const int64_t left_ns = until_ns < 0 ? -1 : std::max<int64_t>(0, until_ns - MonotonicNs());
    const int64_t left_ms =
        left_ns < 0 ? -1 : std::min<int64_t>((left_ns + kMillisecondNs - 1) / kMillisecondNs, 60'000);
    pollfd descriptor{fd, POLLIN, 0};
    if (poll(&descriptor, 1, static_cast<int>(left_ms)) > 0) return true;
    if (left_ns == 0) return false;
  }
}

Environment AskEnvironment(int fd) {
  Frame frame;
  if (!WriteFrame(fd, {FrameKind::kDescribe, Json::object(), {}}) || !ReadFrame(fd, &frame) ||
      frame.kind != FrameKind::kEnvironment) {
    throw Error(ExitCode::kNoRunner,
                "the executor does not answer; run hone-runner --version to see whether it starts");
  }
  return EnvironmentFromJson(HeaderObject(frame.header, "environment"));
}

}  // namespace

LocalRunner::LocalRunner(const ExecutorOptions& options)
    : options_(options),
      executor_(std::make_unique<ExecutorProcess>(options)),
      environment_(AskEnvironment(executor_->fd())) {
  RequireIsolation(options.required_isolation, environment_.isolation);
}

LocalRunner::~LocalRunner() = default;

int LocalRunner::FreeSlots() const { return std::max(0, kSlots - static_cast<int>(outstanding_.size())); }

JobId LocalRunner::Submit(KernelJob job) {
  JobMessage message;
  message.reference_sha256 = Sha256Hex(job.reference.elf);
  message.job = std::move(job);
  return SubmitMessage(std::move(message));
}

JobId LocalRunner::SubmitPackage(PackageJob job) {
  JobMessage message;
  message.package = std::move(job);
  return SubmitMessage(std::move(message));
}

JobId LocalRunner::SubmitMessage(JobMessage message) {
  message.id = next_id_++;
  outstanding_.push_back({std::move(message)});
  const JobId id = outstanding_.back().message.id;
  try {
    if (!Send(outstanding_.back().message)) Restart();
  } catch (const Error& error) {
    // The job is beyond the protocol's limits: no runner can run it.
    Finish(std::prev(outstanding_.end()), FailedMeasurement(Fate::kUnsupported, 0, error.what()));
  }
  return id;
}

bool LocalRunner::Send(const JobMessage& message) {
  const bool first = !message.package && !sent_references_.contains(message.reference_sha256);
  if (!WriteFrame(executor_->fd(), JobToFrame(message, first))) return false;
  if (first) sent_references_.insert(message.reference_sha256);
  return true;
}

void LocalRunner::Restart() {
  bool sent = false;
  while (!sent) {
    if (!outstanding_.empty() && ++outstanding_.front().deaths > kMostDeaths) {
      Finish(outstanding_.begin(),
             FailedMeasurement(Fate::kRunnerLost, 0, "the executor died twice while it ran this job"));
    }
    sent_references_.clear();
    try {
      auto executor = std::make_unique<ExecutorProcess>(options_);
      // A new executor may provide less isolation than the first one did.
      if (!options_.required_isolation.empty()) {
        RequireIsolation(options_.required_isolation, AskEnvironment(executor->fd()).isolation);
      }
      executor_ = std::move(executor);
      const auto send = [this](const Outstanding& job) { return Send(job.message); };
      sent = std::all_of(outstanding_.begin(), outstanding_.end(), send);
    } catch (const Error& error) {
      while (!outstanding_.empty()) {
        Finish(outstanding_.begin(), FailedMeasurement(Fate::kRunnerLost, 0, error.what()));
      }
      return;
    }
  }
}

bool LocalRunner::Receive(Frame* frame) {
  try {
    return ReadFrame(executor_->fd(), frame);
  } catch (const Error&) {
    return false;  // an executor that sends invalid frames is treated as dead
  }
}

void LocalRunner::Finish(std::deque<Outstanding>::iterator job, Measurement measurement, JobCost cost,
                         std::string outputs) {
  if (measurement.environment == Environment()) measurement.environment = environment_;
  measurement.environment.roofs = environment_.roofs;
  finished_.push_back({job->message.id, std::move(measurement), std::move(cost), std::move(outputs)});
  outstanding_.erase(job);
}

void LocalRunner::Handle(const Frame& frame) {
  const auto find = [this](JobId id) {
    return std::find_if(outstanding_.begin(), outstanding_.end(),
                        [id](const Outstanding& job) { return job.message.id == id; });
  };
  if (frame.kind == FrameKind::kResult) {
    ResultMessage result = ResultFromFrame(frame);
    if (const auto job = find(result.id); job != outstanding_.end())
      Finish(job, std::move(result.measurement), std::move(result.cost), std::move(result.outputs));
  } else if (frame.kind == FrameKind::kNeed) {
    const auto job = find(HeaderNumber(frame.header, "job"));
    if (job == outstanding_.end()) return;
    const std::optional<Frame> blob = AnswerNeed(job->message, frame.header, kLocalPieceBytes);
    if (blob && !WriteFrame(executor_->fd(), *blob)) Restart();
  } else if (frame.kind == FrameKind::kError && frame.header.contains("job")) {
    // The executor is the first to parse the job: its plan or artifact is invalid.
    const auto job = find(HeaderNumber(frame.header, "job"));
    const Measurement refused = FailedMeasurement(Fate::kUnsupported, 0, HeaderText(frame.header, "message"));
    if (job != outstanding_.end()) Finish(job, refused);
  } else {
    throw Error(ExitCode::kBadData, "the executor sent a frame that a runner does not take");
  }
}

bool LocalRunner::Wait(int64_t timeout_ns, JobResult* result) {
  const int64_t until_ns = timeout_ns < 0 ? -1 : MonotonicNs() + timeout_ns;
  while (finished_.empty()) {
    if (outstanding_.empty() || !WaitReadable(executor_->fd(), until_ns)) return false;
    Frame frame;
    if (!Receive(&frame)) {
      Restart();
      continue;
    }
    try {
      Handle(frame);
    } catch (const Error&) {
      Restart();
    }
  }
  *result = std::move(finished_.front());
  finished_.pop_front();
  return true;
}

JobId Runner::SubmitPackage(PackageJob) {
  throw Error(ExitCode::kNoRunner, "this runner times kernels only, not whole packages");
}

JobId Runner::SubmitRuntime(RuntimeJob) {
  throw Error(ExitCode::kNoRunner, "this runner runs hone's kernels and packages only, no other runtimes");
}

std::unique_ptr<Runner> MakeLocalRunner(const std::vector<int>& cores, bool measure_roofs) {
  ExecutorOptions options;
  options.cores = cores;
  auto runner = std::make_unique<LocalRunner>(options);
  if (measure_roofs) runner->TellRoofs(RoofsTextOfThisMachine(cores, runner->Describe()));
  return runner;
}

}  // namespace hone
