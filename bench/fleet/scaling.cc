#include "bench/fleet/scaling.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bench/fleet/fleet_child.h"
#include "bench/fleet/fleet_jobs.h"
#include "core/error.h"
#include "tests/support/sleeping_executor.h"

namespace hone::bench {
namespace {

constexpr int64_t kJobNs = 20 * kMillisecond;
constexpr size_t kKernelBytes = 12'000;

int64_t OwnCpuNs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000; };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

void Row(int machines, int jobs) {
  const FleetChild tracker = FleetChild::Tracker({});
  std::vector<std::unique_ptr<SleepingRunner>> runners;
  for (int i = 0; i < machines; ++i) {
    runners.push_back(
        std::make_unique<SleepingRunner>(Offer(tracker.address(), {}), kJobNs, FakeMachine(fmt::format("m{}", i))));
  }
  const auto tuner = Tuner(tracker.address(), {}, machines);
  RunAll(*tuner, SomeJob(kKernelBytes), 2 * machines);  // this sends the references first
  const int64_t cpu_ns = OwnCpuNs() + tracker.cpu_ns();
  const int total = jobs * machines;
  const Outcome outcome = RunAll(*tuner, SomeJob(kKernelBytes), total);
  if (outcome.wrong > 0) throw Error(ExitCode::kNoRunner, fmt::format("{} jobs did not end well", outcome.wrong));
  const double rate = total / outcome.seconds, could = machines * 1e9 / static_cast<double>(kJobNs);
  const double cpu_us = static_cast<double>(OwnCpuNs() + tracker.cpu_ns() - cpu_ns) / total / 1e3;
  const auto [least, most] = std::minmax_element(outcome.by_host.begin(), outcome.by_host.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  fmt::print("{:>7} {:>9.1f} {:>9.1f} {:>8.1f} % {:>12.0f} {:>12.0f} {:>7} {:>6}\n", machines, rate, could,
             100 * rate / could, 1e6 * (machines / rate) - 1e-3 * static_cast<double>(kJobNs), cpu_us, least->second,
             most->second);
}

}  // namespace

void PrintScaling(int jobs) {
  fmt::print("{} jobs of {} ms for each runner\n", jobs, kJobNs / kMillisecond);
  fmt::print("runners    jobs/s  could be  of that   us lost/job   us cpu/job   least   most\n");
  for (const int machines : {1, 2, 4, 8, 16}) {
    Row(machines, jobs);
    std::fflush(stdout);
  }
}

}  // namespace hone::bench
