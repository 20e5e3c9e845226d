// hone_bench_fleet [JOBS]: what a pool of runners costs by itself. Runners that sleep for every job, a tracker and one
// tuner in this process: jobs a second with 1 to 16 runners, next to what the runners could do, the processor time that
// the whole of it takes per job, and how many jobs each did at least and at most.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/runner_server.h"
#include "rpc_runner/tracker/tracker.h"
#include "tests/support/sleeping_executor.h"

namespace hone::bench {
namespace {

constexpr int64_t kJobNs = 20'000'000;

// A tracker in a thread.
class Tracker {
 public:
  Tracker() {
    const std::string file = std::filesystem::temp_directory_path() / fmt::format("hone_fleet_{}", getpid());
    thread_ = std::thread([this, file] { ServeTracker({"tcp://127.0.0.1:*", file, {}}, &stop_); });
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream(file) >> address_;
    std::filesystem::remove(file);
  }
  ~Tracker() {
    stop_ = true;
    thread_.join();
  }
  const std::string& address() const { return address_; }

 private:
  std::atomic<bool> stop_{false};
  std::string address_;
  std::thread thread_;
};

int64_t CpuNs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000; };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// As large as kernels are.
KernelJob SomeJob() {
  KernelJob job;
  job.artifact.elf.assign(12'000, 'k');
  job.reference.elf.assign(12'000, 'r');
  job.seeds = {1, 2};
  return job;
}

void RunAll(Runner& runner, int jobs, std::map<std::string, int>& by_host) {
  const KernelJob job = SomeJob();
  int submitted = 0, done = 0;
  while (done < jobs) {
    for (; submitted < jobs && runner.FreeSlots() > 0; ++submitted) runner.Submit(job);
    JobResult result;
    if (!runner.Wait(10'000'000'000, &result)) throw Error(ExitCode::kNoRunner, "no result came for 10 s");
    ++done;
    ++by_host[result.measurement.environment.host];
  }
}

void Row(int machines, int jobs) {
  const Tracker tracker;
  std::vector<std::unique_ptr<SleepingRunner>> runners;
  RunnerServerOptions offer;
  offer.tracker = tracker.address();
  offer.key = "fleet";
  for (int i = 0; i < machines; ++i) {
    runners.push_back(std::make_unique<SleepingRunner>(offer, kJobNs, FakeMachine(fmt::format("m{}", i))));
  }
  RemoteRunnerOptions options;
  options.tracker = tracker.address();
  options.key = "fleet";
  const auto runner = MakeRemoteRunner(options);
  while (static_cast<int>(runner->Machines().size()) < machines) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::map<std::string, int> by_host;
  RunAll(*runner, 2 * machines, by_host);  // references travel
  by_host.clear();
  const int64_t begin_ns = MonotonicNs(), cpu_ns = CpuNs();
  RunAll(*runner, jobs * machines, by_host);
  const auto total = static_cast<double>(jobs) * machines;
  const double rate = total * 1e9 / static_cast<double>(MonotonicNs() - begin_ns);
  const double could = machines * 1e9 / static_cast<double>(kJobNs);
  const auto [least, most] = std::minmax_element(by_host.begin(), by_host.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  fmt::print("{:>7} {:>9.1f} {:>9.1f} {:>8.1f} % {:>12.0f} {:>12.0f} {:>7} {:>6}\n", machines, rate, could,
             100 * rate / could, 1e6 * (machines / rate) - 1e-3 * static_cast<double>(kJobNs),
             static_cast<double>(CpuNs() - cpu_ns) / total / 1e3, least->second, most->second);
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 200;
  if (jobs < 1) {
    fmt::print(stderr, "hone_bench_fleet: JOBS is given as {}; right is a number from 1 on\n", argv[1]);
    return 2;
  }
  fmt::print("{} jobs of {} ms for each runner\n", jobs, hone::bench::kJobNs / 1'000'000);
  fmt::print("runners    jobs/s  could be  of that   us lost/job   us cpu/job   least   most\n");
  for (const int machines : {1, 2, 4, 8, 16}) hone::bench::Row(machines, jobs);
  return 0;
}
