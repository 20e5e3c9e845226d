#include "rpc_runner/adapter/runtime_host.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "rpc_runner/adapter/adapter.h"
#include "rpc_runner/adapter/runtime_job.h"
#include "rpc_runner/wire/job_message.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

std::vector<int> CoresToUse(const std::vector<int>& cores) {
  return cores.empty() ? CpusToPin() : OneOfEachCoreFirst(cores, CoresOf(cores));
}

}  // namespace

RuntimeHost::RuntimeHost(const std::vector<std::string>& runtimes, const std::vector<std::string>& reads,
                         const ExecutorOptions& options)
    : caps_(CapsOf(options)), cores_(options.cores), lock_(CoresToUse(options.cores)) {
  const AdapterSandbox sandbox{options.program, reads, caps_.memory_bytes, 0, options.user};
  for (const std::string& text : runtimes) {
    OfferedRuntime offered = ParseOfferedRuntime(text, sandbox);
    const auto same = [&](const OfferedRuntime& other) { return other.runtime == offered.runtime; };
    if (std::any_of(offered_.begin(), offered_.end(), same)) {
      throw Error(ExitCode::kUsage, fmt::format("--runtime {}: that name is given twice", text));
    }
    AskOffered(offered);
    offered_.push_back(std::move(offered));
  }
  ended_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (ended_fd_ < 0) throw Error(ExitCode::kIo, "the system gives no event descriptor");
}

RuntimeHost::~RuntimeHost() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  close(ended_fd_);
}

Json RuntimeHost::told() const {
  Json list = Json::array();
  for (const OfferedRuntime& offered : offered_) list.push_back(offered.told);
  return list;
}

void RuntimeHost::Start(const RuntimeJob& job, int cores) {
  stop_ = false;
  thread_ = std::thread([this, job, cores] {
    JobResult result = RunHere(job, cores);
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    eventfd_write(ended_fd_, 1);
  });
}

std::optional<JobResult> RuntimeHost::Take() {
  std::optional<JobResult> taken;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(result_, std::nullopt);
  }
  if (!taken) return std::nullopt;
  thread_.join();
  eventfd_t ended = 0;
  eventfd_read(ended_fd_, &ended);
  return taken;
}

JobResult RuntimeHost::RunHere(const RuntimeJob& job, int cores) {
  const auto unsupported = [](const std::string& why) {
    JobResult result;
    result.measurement = FailedMeasurement(Fate::kUnsupported, 0, why);
    return result;
  };
  std::vector<std::string> names;
  for (const OfferedRuntime& offered : offered_) names.push_back(offered.runtime);
  const auto found = std::find(names.begin(), names.end(), job.runtime);
  if (found == names.end()) return unsupported(NotOffered(job.runtime, names));
  if (const std::string why = CheckJobLimits(job.timing, cores); !why.empty()) return unsupported(why);
  RuntimeJob capped = job;
  ApplyCaps(caps_, &capped.timing);
  return RunRuntimeJob(capped, offered_[static_cast<size_t>(found - names.begin())], CpusFor(job.timing.threads), lock_,
                       stop_);
}

std::vector<int> RuntimeHost::CpusFor(int threads) const {
  std::vector<int> cpus = CoresToUse(cores_);
  cpus.resize(std::min(cpus.size(), static_cast<size_t>(threads)));
  return cpus;
}

}  // namespace hone
