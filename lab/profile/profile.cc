#include "lab/profile/profile.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>
#include <utility>

#include "core/nth.h"
#include "lab/bench/timed_package.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/clock.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr std::array<uint64_t, 4> kEvents = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                             PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES};

int Open(uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string WhyNot(int error) {
  if (error == ENOENT || error == EOPNOTSUPP) return "this machine has no hardware counters, as most virtual ones";
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int paranoid = 0;
  if ((error == EACCES || error == EPERM) && file >> paranoid)
    return fmt::format("the kernel forbids it (perf_event_paranoid is {}; 2 or less would be right)", paranoid);
  return std::strerror(error);
}

int64_t Read(int file) {
  int64_t count = 0;
  return file >= 0 && read(file, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

}  // namespace

HardwareCounters::HardwareCounters() {
  bool any = false;
  for (const uint64_t event : kEvents) {
    files_.push_back(Open(event));
    if (files_.back() < 0 && why_not_.empty()) why_not_ = WhyNot(errno);
    any = any || files_.back() >= 0;
  }
  if (any) why_not_.clear();
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

void HardwareCounters::Begin() {
  for (const int file : files_) {
    if (file < 0) continue;
    ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

HardwareCounts HardwareCounters::End() {
  for (const int file : files_) {
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
  }
  return {Read(files_[0]), Read(files_[1]), Read(files_[2]), Read(files_[3]), why_not_};
}

namespace {

constexpr int64_t kLeastProfileWarmUpNs = 300'000'000, kMostProfileWarmUpNs = 2'000'000'000;

// The roof of this number of threads together; zeros if none was measured for it.
Roof RoofOf(int threads) {
  const Environment environment = ProbeEnvironment();
  const std::vector<Roof> roofs = MeasureRoofs(KernelsFor(environment.features), ParseCaches(environment.caches),
                                               CoreGroups(AffinityCpus()), threads);
  for (const Roof& roof : roofs) {
    if (roof.threads == threads) return roof;
  }
  return {};
}

ProfiledRun RunOf(Session::Trace trace, int64_t start_ns) {
  for (int64_t& begin_ns : trace.call_begin_ns) begin_ns -= start_ns;
  for (Session::Trace::Slice& slice : trace.work) {
    slice.begin_ns -= start_ns;
    slice.end_ns -= start_ns;
  }
  return {trace.begin_ns - start_ns, std::move(trace.call_ns), std::move(trace.call_begin_ns), std::move(trace.work)};
}

int64_t MedianOfCall(const std::vector<ProfiledRun>& runs, size_t call) {
  std::vector<int64_t> times_ns;
  for (const ProfiledRun& run : runs) times_ns.push_back(run.call_ns[call]);
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>(times_ns.size() / 2);
  std::nth_element(times_ns.begin(), middle, times_ns.end());
  return *middle;
}

// Compares the call's time with its times at the two roofs, in ns: flop over GFLOP/s, and bytes over GB/s.
void HoldAgainst(const Roof& roof, ProfiledCall& call) {
  if (roof.gflops <= 0 || roof.read_gbps <= 0 || call.ns <= 0) return;
  const double arithmetic_ns = call.flops / roof.gflops, memory_ns = static_cast<double>(call.bytes) / roof.read_gbps;
  call.memory_bound = memory_ns > arithmetic_ns;
  call.of_roof = std::max(arithmetic_ns, memory_ns) / static_cast<double>(call.ns);
}

std::vector<ProfiledCall> CallsOf(const Profile& profile, const Session& session) {
  const Plan& plan = profile.package->plan();
  std::vector<ProfiledCall> calls;
  int64_t total_ns = 0;
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    const PlanCall& of = plan.calls[i];
    ProfiledCall call;
    call.call = i;
    call.kernel = session.KernelOf(i);
    call.node = of.nodes.empty() ? of.op : of.nodes.front();
    call.ns = MedianOfCall(profile.runs, i);
    call.flops = of.flops;
    call.bytes = BytesOf(plan, of);
    HoldAgainst(profile.roof, call);
    total_ns += call.ns;
    calls.push_back(call);
  }
  for (ProfiledCall& call : calls)
    call.share = static_cast<double>(call.ns) / static_cast<double>(std::max<int64_t>(total_ns, 1));
  return calls;
}

}  // namespace

int64_t BytesOf(const Plan& plan, const PlanCall& call) {
  std::set<int> buffers;
  int64_t bytes = 0;
  for (const PlanView& view : call.operands) {
    if (buffers.insert(view.buffer).second) bytes += Nth(plan.buffers, view.buffer).size_bytes;
  }
  return bytes;
}

Profile ProfilePackage(const std::string& path, const ProfileOptions& options) {
  const LoadedAnew file(path, options.inputs);
  Profile profile;
  profile.path = path;
  profile.package = file.first();
  profile.extents = file.extents();
  profile.threads = options.threads > 0 ? options.threads : AllowedCores();
  if (options.roofs) profile.roof = RoofOf(profile.threads);
  HardwareCounters counters;  // made before the threads that it counts
  const std::unique_ptr<Session> session = file.Start(file.first(), {.threads = profile.threads});
  for (WarmUp warm_up(kLeastProfileWarmUpNs, kMostProfileWarmUpNs); !warm_up.over();) {
    const int64_t begin = MonotonicNs();
    session->Run();
    warm_up.Add(MonotonicNs() - begin);
  }
  counters.Begin();
  const int64_t start = MonotonicNs();
  for (int run = 0; run < options.runs; ++run) {
    if (options.workers) {
      profile.runs.push_back(RunOf(session->RunTraced(), start));
    } else {
      const int64_t begin_ns = MonotonicNs() - start;
      profile.runs.push_back({begin_ns, session->RunProfiled(), {}, {}});
    }
  }
  profile.counts = counters.End();
  profile.calls = CallsOf(profile, *session);
  return profile;
}

}  // namespace hone
