#include "lab/machine/doctor_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <variant>

#include "compiler/codegen/target/machine_target.h"
#include "compiler/compile_kernel.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/machine/device_name.h"
#include "lab/text/number_text.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/tracker/ask_tracker.h"

namespace hone {
namespace {

constexpr int64_t kPatienceNs = 60'000'000'000;
constexpr const char* kNoSuchFeature = "only-to-be-uploaded";

// The state that each step leaves to the next ones.
class Way {
 public:
  explicit Way(const RemoteRunnerOptions& remote) : remote_(remote) { remote_.max_runners = 1; }

  std::string Keys() const {
    const Security security = ClientSecurity(remote_.keys, remote_.tracker);
    return !security.server_key.empty() ? "encrypted; the tracker's key and our own are known"
                                        : "none: loopback, not encrypted";
  }

  std::string Connect() const {
    const auto start = std::chrono::steady_clock::now();
    const TrackerStatus status = QueryTracker(remote_.tracker, remote_.connect_timeout_ns, remote_.keys);
    return fmt::format("answered in {}, {}", TimeText(NsSince(start)), Counted(status.runners.size(), "runner"));
  }

  std::string Lease() {
    runner_ = MakeRemoteRunner(remote_);
    machine_ = runner_->Describe();
    return fmt::format("{} ({}, {}{}{}), isolation: {}", RunnerName(machine_), machine_.cpu_model,
                       Counted(machine_.cores, "core"), machine_.core_kind.empty() ? "" : ": " + machine_.core_kind,
                       machine_.emulated ? ", emulated" : "", machine_.isolation.empty() ? "none" : machine_.isolation);
  }

  std::string Build() {
    const Workload workload = Workload::Parse("nn.dense data=4x64 weight=64x64");
    const Target target = TargetOf(machine_);
    const DefaultConfig chosen = AnalyticDefault(workload, MachineModelFor(target));
    auto built = CompileKernel({workload, std::string(chosen.schedule->name()), chosen.config, target});
    if (const auto* rejection = std::get_if<Rejection>(&built)) {
      throw Error(ExitCode::kBug, rejection->reason);
    }
    job_.artifact = std::get<Artifact>(std::move(built));
    job_.reference = CompileReference(workload, target);
    job_.tolerance = chosen.schedule->tolerance();
    job_.seeds = {1, 2};
    return target.ToText();
  }

  // Sends the kernel with a required feature that no CPU has. A runner that refuses it for that reason has all its
  // bytes and has run none.
  std::string Upload() {
    KernelJob refused = job_;
    refused.artifact.required_features = {kNoSuchFeature};
    const auto start = std::chrono::steady_clock::now();
    const Measurement m = Answer(refused).measurement;
    if (m.fate != Fate::kUnsupported || m.message.find(kNoSuchFeature) == std::string::npos) {
      throw Error(ExitCode::kAnswerIsNo, fmt::format("the runner did not take it: {} {}", FateName(m.fate), m.message));
    }
    const size_t sent = job_.artifact.elf.size() + job_.reference.elf.size();
    return fmt::format("{} sent, there in {}", BytesText(static_cast<int64_t>(sent)), TimeText(NsSince(start)));
  }

  std::string Run() {
    const auto start = std::chrono::steady_clock::now();
    result_ = Answer(job_);
    return fmt::format("answered in {}", TimeText(NsSince(start)));
  }

  std::string Result() const {
    const Measurement& m = result_.measurement;
    if (m.fate != Fate::kOk) {
      throw Error(ExitCode::kAnswerIsNo,
                  fmt::format("a kernel that should be right: {} {}", FateName(m.fate), m.message));
    }
    return fmt::format("right; one run took {}{}", TimeText(m.MinNs()), m.noisy ? ", times are noisy" : "");
  }

 private:
  static int64_t NsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  }

  JobResult Answer(const KernelJob& job) {
    JobResult result;
    runner_->Submit(job);
    if (!runner_->Wait(kPatienceNs, &result)) {
      throw Error(ExitCode::kNoRunner, fmt::format("no answer within {}", TimeText(kPatienceNs)));
    }
    if (result.measurement.fate == Fate::kRunnerLost) {
      throw Error(ExitCode::kNoRunner, "the runner was lost: " + result.measurement.message);
    }
    return result;
  }

  RemoteRunnerOptions remote_;
  std::unique_ptr<Runner> runner_;
  Environment machine_;
  KernelJob job_;
  JobResult result_;
};

}  // namespace

std::vector<Hop> TryRunner(const RemoteRunnerOptions& remote) {
  Way way(remote);
  const std::pair<const char*, std::function<std::string()>> steps[] = {
      {"keys", [&] { return way.Keys(); }},     {"connect", [&] { return way.Connect(); }},
      {"lease", [&] { return way.Lease(); }},   {"build", [&] { return way.Build(); }},
      {"upload", [&] { return way.Upload(); }}, {"run", [&] { return way.Run(); }},
      {"result", [&] { return way.Result(); }}};
  std::vector<Hop> hops;
  for (const auto& [name, step] : steps) {
    Hop& hop = hops.emplace_back(Hop{name, true, ""});
    try {
      hop.what = step();
    } catch (const Error& error) {
      hop.ok = false;
      hop.what = error.what();
      break;
    }
  }
  return hops;
}

namespace {

std::string TryFile(const std::filesystem::path& folder) {
  std::string name = (folder / "hone-doctor-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return fmt::format("{}: {}", folder.string(), std::strerror(errno));
  // A full disk accepts a file's name but no contents.
  const bool written = write(fd, name.data(), name.size()) == static_cast<ssize_t>(name.size());
  const std::string why = written ? "" : fmt::format("{}: {}", folder.string(), std::strerror(errno));
  close(fd);
  unlink(name.c_str());
  return why;
}

}  // namespace

std::string WhyNoFileIn(const std::filesystem::path& folder) {
  std::filesystem::path there = std::filesystem::absolute(folder);
  std::error_code error;
  while (!std::filesystem::exists(there, error) && !error && there.has_relative_path()) there = there.parent_path();
  return TryFile(there);
}

namespace {

constexpr int64_t kGapNs = 5'000;

}  // namespace

TimerNoise MeasureTimerNoise(int64_t duration_ns) {
  TimerNoise noise;
  noise.resolution_ns = std::numeric_limits<int64_t>::max();
  int64_t lost = 0;
  const int64_t start = MonotonicNs();
  int64_t last = start;
  while (last - start < duration_ns) {
    const int64_t now = MonotonicNs();
    const int64_t gap = now - last;
    last = now;
    if (gap > 0) noise.resolution_ns = std::min(noise.resolution_ns, gap);
    noise.worst_gap_ns = std::max(noise.worst_gap_ns, gap);
    if (gap > kGapNs) lost += gap;
  }
  noise.lost_share = static_cast<double>(lost) / static_cast<double>(std::max<int64_t>(last - start, 1));
  return noise;
}

}  // namespace hone
