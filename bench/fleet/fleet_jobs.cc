#include "bench/fleet/fleet_jobs.h"

#include <chrono>
#include <thread>

#include "rpc_runner/process/clock.h"

namespace hone::bench {

void Sleep(int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }
double SecondsSince(int64_t begin_ns) { return static_cast<double>(MonotonicNs() - begin_ns) / 1e9; }

RunnerServerOptions Offer(const std::string& tracker, const ClientKeys& keys, bool direct) {
  RunnerServerOptions offer;
  offer.tracker = tracker;
  offer.keys = keys;
  offer.key = "fleet";
  offer.direct = direct;
  return offer;
}

std::unique_ptr<Runner> Tuner(const std::string& tracker, const ClientKeys& keys, int runners, bool direct) {
  RemoteRunnerOptions options;
  options.tracker = tracker;
  options.keys = keys;
  options.key = "fleet";
  options.max_runners = runners;
  options.direct = direct;
  options.connect_timeout_ns = 20'000 * kMillisecond;
  auto runner = MakeRemoteRunner(options);
  while (static_cast<int>(runner->Machines().size()) < runners) Sleep(10 * kMillisecond);
  return runner;
}

KernelJob SomeJob(size_t bytes) {
  KernelJob job;
  job.artifact.elf.assign(bytes, 'k');
  job.reference.elf.assign(bytes, 'r');
  job.seeds = {1, 2};
  return job;
}

Outcome RunAll(Runner& runner, const KernelJob& job, int jobs, const std::function<void(int)>& after) {
  const int64_t begin_ns = MonotonicNs();
  Outcome outcome;
  std::map<JobId, int> ended;
  int submitted = 0, done = 0;
  while (done < jobs) {
    for (; submitted < jobs && runner.FreeSlots() > 0; ++submitted) ended[runner.Submit(job)] = 0;
    JobResult result;
    if (!runner.Wait(20'000 * kMillisecond, &result)) break;
    ++done;
    outcome.wrong += result.measurement.fate != Fate::kOk || ++ended[result.id] != 1;
    ++outcome.by_host[result.measurement.environment.host];
    if (after) after(done);
  }
  outcome.wrong += jobs - done;
  outcome.seconds = SecondsSince(begin_ns);
  return outcome;
}

}  // namespace hone::bench
