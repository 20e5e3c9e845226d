// hone_bench_fleet_goals [GOAL...]: the costs and capacity of a runner, a tracker and its relay, whom they keep out,
// and how soon a fleet recovers. Prints goal, reached and verdict of each row. Exits 1 on a miss for which
// docs/howto/fleet.md names no bound. hone_bench_fleet_goals --scaling [JOBS]: PrintScaling.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/fleet/candidate_cost.h"
#include "bench/fleet/crowd.h"
#include "bench/fleet/fleet_child.h"
#include "bench/fleet/fleet_jobs.h"
#include "bench/fleet/fleet_keys.h"
#include "bench/fleet/revoked_key.h"
#include "bench/fleet/scaling.h"
#include "bench/fleet/simulated_runners.h"
#include "bench/tuner/verdict.h"
#include "core/error.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "tests/support/sleeping_executor.h"

namespace hone::bench {
namespace {

// The keys for all goals, except the comparison with direct connections, which needs none.
const FleetKeys& Keys() {
  static const FleetKeys keys;
  return keys;
}

// The median time of a job, one after the other, in microseconds.
double MedianRoundTrip(Runner& runner, int jobs) {
  const KernelJob job = SomeJob(0);
  std::vector<double> us;
  for (int i = 0; i < jobs; ++i) {
    const int64_t begin_ns = MonotonicNs();
    RunAll(runner, job, 1);
    us.push_back(static_cast<double>(MonotonicNs() - begin_ns) / 1e3);
  }
  std::nth_element(us.begin(), us.begin() + jobs / 2, us.end());
  return us[static_cast<size_t>(jobs) / 2];
}

double MedianRoundTrip(const ServerKeys& server, const ClientKeys& client, bool direct) {
  const FleetChild tracker = FleetChild::Tracker(server);
  const SleepingRunner runner(Offer(tracker.address(), client, direct), 1, FakeMachine("m"));
  const auto tuner = Tuner(tracker.address(), client, 1, direct);
  if (direct) Sleep(1500 * kMillisecond);
  MedianRoundTrip(*tuner, 50);
  return MedianRoundTrip(*tuner, 1000);
}

void RoundTrips(Verdicts& verdicts) {
  verdicts.AtMost("round trip of an empty job through the tracker, encrypted, median, us", 300,
                  MedianRoundTrip(Keys().server(), Keys().client(), false));
  fmt::print("  without keys {:.4g} us, and without the tracker (--direct) {:.4g} us\n", MedianRoundTrip({}, {}, false),
             MedianRoundTrip({}, {}, true));
}

double JobsPerSecond(bool direct, int machines, int jobs) {
  const FleetChild tracker = FleetChild::Tracker({});
  std::vector<std::unique_ptr<SleepingRunner>> runners;
  for (int i = 0; i < machines; ++i) {
    runners.push_back(std::make_unique<SleepingRunner>(Offer(tracker.address(), {}, direct), 20 * kMillisecond,
                                                       FakeMachine(fmt::format("m{}", i))));
  }
  const auto tuner = Tuner(tracker.address(), {}, machines, direct);
  Sleep(1500 * kMillisecond);
  RunAll(*tuner, SomeJob(12'000), 4 * machines);  // this sends the references first
  return jobs / RunAll(*tuner, SomeJob(12'000), jobs).seconds;
}

void RelayAgainstDirect(Verdicts& verdicts) {
  double relay = 0, direct = 0;
  for (int i = 0; i < 3; ++i) {
    relay = std::max(relay, JobsPerSecond(false, 16, 1600));
    direct = std::max(direct, JobsPerSecond(true, 16, 1600));
  }
  fmt::print("16 sleeping runners, 20 ms a job: {:.1f} jobs/s relayed, {:.1f} direct\n", relay, direct);
  verdicts.AtLeast("relayed jobs/s of 16 sleeping runners, of the direct way's", 0.95, relay / direct);
}

void Throughput(Verdicts& verdicts) {
  const FleetChild tracker = FleetChild::Tracker(Keys().server());
  const SimulatedRunners runners(tracker.address(), Keys().client(), "fleet", 64);
  const auto tuner = Tuner(tracker.address(), Keys().client(), 64);
  RunAll(*tuner, SomeJob(12'000), 256);
  constexpr int kJobs = 20'000;
  verdicts.AtLeast("jobs/s through one tracker, 64 simulated runners", 2000,
                   kJobs / RunAll(*tuner, SomeJob(12'000), kJobs).seconds);
}

void ThousandRunners(Verdicts& verdicts) {
  const FleetChild tracker = FleetChild::Tracker(Keys().server());
  const int64_t begin_ns = MonotonicNs();
  std::vector<std::unique_ptr<SimulatedRunners>> runners;
  std::vector<std::unique_ptr<SimulatedTuners>> tuners;
  for (int i = 0; i < 4; ++i) {
    runners.push_back(std::make_unique<SimulatedRunners>(tracker.address(), Keys().client(), "fleet", 250));
    tuners.push_back(std::make_unique<SimulatedTuners>(tracker.address(), Keys().client(), "fleet", 250));
  }
  const auto granted = [&] {
    int sum = 0;
    for (const auto& some : tuners) sum += some->granted();
    return sum;
  };
  while (granted() < 1000 && SecondsSince(begin_ns) < 60) Sleep(5 * kMillisecond);
  verdicts.AtMost("1,000 runners and 1,000 tuners connect and are matched, s", 5,
                  granted() < 1000 ? 1e9 : SecondsSince(begin_ns));
  Sleep(2000 * kMillisecond);
  verdicts.AtMost("memory of that tracker, MiB", 128, static_cast<double>(tracker.memory_bytes()) / (1 << 20));
}

void KilledRunner(Verdicts& verdicts) {
  const FleetChild tracker = FleetChild::Tracker(Keys().server());
  FleetChild doomed = FleetChild::Runner(tracker.address(), Keys().client(), "fleet", 3'600'000 * kMillisecond);
  const auto tuner = Tuner(tracker.address(), Keys().client(), 1);
  tuner->Submit(SomeJob(12'000));
  Sleep(500 * kMillisecond);
  const SleepingRunner heir(Offer(tracker.address(), Keys().client()), kMillisecond, tuner->Describe());
  Sleep(500 * kMillisecond);
  const int64_t begin_ns = MonotonicNs();
  doomed.Kill();
  JobResult result;
  const bool came = tuner->Wait(30'000 * kMillisecond, &result);
  verdicts.AtMost("killed in mid-candidate until the job was run elsewhere, s", 5, came ? SecondsSince(begin_ns) : 1e9);
  verdicts.AtMost("  false verdicts", 0, came && result.measurement.fate == Fate::kOk ? 0 : 1);
}

void KilledTracker(Verdicts& verdicts) {
  auto tracker = std::make_unique<FleetChild>(FleetChild::Tracker(Keys().server()));
  const std::string address = tracker->address();
  std::vector<std::unique_ptr<SleepingRunner>> runners;
  for (int i = 0; i < 16; ++i) {
    runners.push_back(std::make_unique<SleepingRunner>(Offer(address, Keys().client()), 20 * kMillisecond,
                                                       FakeMachine(fmt::format("m{}", i))));
  }
  const auto tuner = Tuner(address, Keys().client(), 16);
  double back_s = 1e9;
  std::thread watcher;
  const Outcome outcome = RunAll(*tuner, SomeJob(12'000), 6000, [&](int done) {
    if (done != 1000) return;
    tracker->Kill();
    tracker = std::make_unique<FleetChild>(FleetChild::Tracker(Keys().server(), address));
    watcher = std::thread([&, begin_ns = MonotonicNs()] {
      while (SecondsSince(begin_ns) < 60) {
        const TrackerStatus status = QueryTracker(address, 10'000 * kMillisecond, Keys().client());
        const auto known = [](const RunnerInfo& r) { return r.state == "busy" && !r.holder.empty(); };
        if (std::count_if(status.runners.begin(), status.runners.end(), known) == 16) {
          back_s = SecondsSince(begin_ns);
          return;
        }
        Sleep(20 * kMillisecond);
      }
    });
  });
  if (watcher.joinable()) watcher.join();
  verdicts.AtMost("tracker killed and begun anew until 16 leases were known, s", 10, back_s);
  verdicts.AtMost("  jobs of 6,000 that were lost, doubled or judged wrongly", 0, outcome.wrong);
}

void CandidatesCost(Verdicts& verdicts) {
  const CandidateCost cost = MeasureCandidateCost(300);
  verdicts.AtMost("what a runner takes for a candidate beside its runs and checks, ms", 1.5, cost.median_ms);
  fmt::print("  least {:.2f} ms, 90 % within {:.2f} ms; isolation: {}\n", cost.least_ms, cost.most_ms, cost.isolation);
}

// In milliseconds, including the connection.
double LongestOf20Requests(const std::string& tracker) {
  double longest_s = 0;
  for (int i = 0; i < 20; ++i) {
    const int64_t begin_ns = MonotonicNs();
    QueryTracker(tracker, 20'000 * kMillisecond, Keys().client());
    longest_s = std::max(longest_s, SecondsSince(begin_ns));
  }
  return 1e3 * longest_s;
}

void CrowdedTracker(Verdicts& verdicts) {
  const FleetChild tracker = FleetChild::Tracker(Keys().server());
  const SimulatedRunners runners(tracker.address(), Keys().client(), "fleet", 64);
  const auto known = [&] {
    return QueryTracker(tracker.address(), 20'000 * kMillisecond, Keys().client()).runners.size();
  };
  while (known() < 64) Sleep(10 * kMillisecond);
  const double alone_ms = LongestOf20Requests(tracker.address());
  const HalfOpenCrowd crowd(tracker.address(), 1000);
  const SlowReader reader(tracker.address(), Keys().client());
  verdicts.AtMost("longest of 20 requests beside 1,000 half-open peers and a slow one, ms", 100,
                  LongestOf20Requests(tracker.address()));
  fmt::print("  without them {:.4g} ms; the slow one asked {} times, and {} connections were closed and made anew\n",
             alone_ms, reader.asked(), crowd.made_anew());
}

void RevokedKey(Verdicts& verdicts) {
  const FleetChild tracker = FleetChild::Tracker(Keys().server());
  double longest_s = 0;
  for (const char* name : {"ann", "bob", "eve"}) {
    longest_s = std::max(longest_s, SecondsToClose(tracker.address(), Keys(), name));
  }
  verdicts.AtMost("a key is revoked until its connection is closed, longest of 3, s", 5, longest_s);
}

// Two thousand connections in one process exceed a shell's default limit.
void AllowDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

struct Goal {
  const char* name;
  void (*measure)(Verdicts&);
};
constexpr Goal kGoals[] = {
    {"round_trip", RoundTrips},  {"candidate", CandidatesCost},   {"relay", RelayAgainstDirect},
    {"throughput", Throughput},  {"thousand", ThousandRunners},   {"crowd", CrowdedTracker},
    {"revoked_key", RevokedKey}, {"killed_runner", KilledRunner}, {"killed_tracker", KilledTracker},
};

// Runs the named goals, or all if none is named.
int Run(const std::vector<std::string>& names) {
  AllowDescriptors();
  // The fleet's own messages do not belong into the table.
  const int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (silence >= 0) dup2(silence, STDERR_FILENO);
  Verdicts verdicts(ReadBounds(std::string("docs/howto/fleet.md")));
  for (const Goal& goal : kGoals) {
    if (!names.empty() && std::find(names.begin(), names.end(), goal.name) == names.end()) continue;
    goal.measure(verdicts);
    std::fflush(stdout);
  }
  return verdicts.all_met() ? 0 : 1;
}

// Throws Error(kUsage) if a name is not that of a goal.
void CheckNames(const std::vector<std::string>& names) {
  std::string known;
  for (const Goal& goal : kGoals) known += std::string(known.empty() ? "" : ", ") + goal.name;
  for (const std::string& name : names) {
    const auto is_it = [&](const Goal& goal) { return goal.name == name; };
    if (std::any_of(std::begin(kGoals), std::end(kGoals), is_it)) continue;
    throw Error(ExitCode::kUsage, fmt::format("\"{}\" is given; right is --scaling [JOBS], or any of {}", name, known));
  }
}

int Scaling(const std::vector<std::string>& words) {
  const int jobs = words.size() < 2 ? 100 : std::atoi(words[1].c_str());
  if (jobs < 1 || words.size() > 2) {
    throw Error(ExitCode::kUsage, fmt::format("--scaling {} is given; right is one number from 1 on", words[1]));
  }
  PrintScaling(jobs);
  return 0;
}

int RunWords(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "--scaling") return Scaling(words);
  CheckNames(words);
  return Run(words);
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    int code = 0;
    if (hone::bench::RunAsChild(argc, argv, &code)) return code;
    return hone::bench::RunWords({argv + 1, argv + argc});
  } catch (const hone::Error& error) {
    // stderr may be silenced here.
    fmt::print("hone_bench_fleet_goals: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
