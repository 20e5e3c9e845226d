// hone_bench_dashboard [SECONDS [FOLDER]]: how much `hone dashboard` slows tuning, and how old its figures are. Eight
// tuners append 16 trials of 25 ms each at a time, as `hone tune` does. They run for SECONDS without the dashboard and
// as long with it and 20 viewers, in turns. Prints goal, reached and verdict of each row; exits 1 on a miss. FOLDER is
// on the disk to be used.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/run_bench.h"
#include "bench/tuner/verdict.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "db/record_store.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/spawned_program.h"
#include "tests/db/sample_record.h"
#include "tests/lab/dashboard/http_viewer.h"

namespace hone::bench {
namespace {

constexpr int kTuners = 8, kViewers = 20, kBatch = 16, kTurns = 3;
constexpr auto kTrial = std::chrono::milliseconds(25);
constexpr double kNsPerSecond = 1e9;

// The times at which each number of a tuner's trials was durable, in order.
class Arrivals {
 public:
  void Add(int64_t trials, int64_t at_ns) {
    const std::lock_guard lock(mutex_);
    list_.emplace_back(trials, at_ns);
  }
  // The time at which the first trial after `trials` was durable; 0 if it is not yet.
  int64_t After(int64_t trials) const {
    const std::lock_guard lock(mutex_);
    const auto next = std::upper_bound(list_.begin(), list_.end(), std::pair(trials, INT64_MAX));
    return next == list_.end() ? 0 : next->second;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<int64_t, int64_t>> list_;
};

class Tuner {
 public:
  Tuner(const std::string& where, int number) : store_(RecordStore::Open(where)), number_(number) {
    const Json asked = {
        {"model", name()}, {"threads", 1}, {"tasks", Json::array({{{"workload", kSampleWorkload}, {"uses", 1}}})}};
    store_->PutRun({name(), "running", DumpJson(asked)});
  }
  std::string name() const { return fmt::format("tuner{}", number_); }
  const Arrivals& arrivals() const { return arrivals_; }

  // Tunes for so many seconds. Returns the number of trials.
  int64_t Tune(double seconds) {
    const int64_t end_ns = MonotonicNs() + static_cast<int64_t>(seconds * kNsPerSecond);
    const int64_t before = trials_;
    while (MonotonicNs() < end_ns) {
      std::vector<Record> records;
      for (int i = 0; i < kBatch; ++i) records.push_back(Trial());
      std::this_thread::sleep_for(kBatch * kTrial);
      store_->Append(records);
      arrivals_.Add(trials_ += kBatch, MonotonicNs());
    }
    return trials_ - before;
  }

 private:
  Record Trial() {
    Record record = SampleRecord(number_ * 10'000'000 + ++made_);
    record.session = name();
    record.unix_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    return Finish(record);
  }

  std::unique_ptr<RecordStore> store_;
  Arrivals arrivals_;
  int number_ = 0, made_ = 0;
  int64_t trials_ = 0;
};

using Tuners = std::list<Tuner>;

// The trials per second of all tuners.
double Rate(Tuners& tuners, double seconds) {
  std::atomic<int64_t> trials = 0;
  std::vector<std::thread> threads;
  const int64_t begin_ns = MonotonicNs();
  for (Tuner& tuner : tuners) threads.emplace_back([&] { trials += tuner.Tune(seconds); });
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(trials) * kNsPerSecond / static_cast<double>(MonotonicNs() - begin_ns);
}

// The number of trials that the page shows for a run; -1 if it shows none.
int64_t ShownOf(const std::string& overview, const std::string& run) {
  const size_t at = overview.find(run);
  const std::string row = at == std::string::npos ? "" : overview.substr(at, overview.find("</tr>", at) - at);
  static const std::regex shown("1 of 1</td><td class=\"r\">(\\d+)");
  std::smatch found;
  return std::regex_search(row, found, shown) ? std::atoll(found[1].str().c_str()) : -1;
}

// Measures, at each event, the age in ms of the oldest trial that the event before did not show.
class Watcher {
 public:
  Watcher(int port, const Tuners& tuners)
      : viewer_(port), tuners_(tuners), thread_([this] {
          while (!stop_) {
            if (const auto event = viewer_.Next(100)) Take(*event);
          }
        }) {}
  ~Watcher() { Stop(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  const std::vector<double>& Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return ages_ms_;
  }

 private:
  void Take(const EventViewer::Event& event) {
    const Json data = ParseJson(event.data, "an event");
    if (!data["html"].contains("overview")) return;
    const std::string overview = data["html"]["overview"];
    for (const Tuner& tuner : tuners_) {
      const int64_t shown = ShownOf(overview, tuner.name());
      int64_t& known = shown_[tuner.name()];
      // Trials from before the first event do not count as new.
      const int64_t since_ns = known > 0 && shown > known ? tuner.arrivals().After(known) : 0;
      if (since_ns > 0) ages_ms_.push_back(static_cast<double>(event.at_ns - since_ns) / 1e6);
      known = std::max(known, shown);
    }
  }

  EventViewer viewer_;
  const Tuners& tuners_;
  std::map<std::string, int64_t> shown_;
  std::vector<double> ages_ms_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

double CpuSecondsOf(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Watched {
  double rate = 0, cpu_share = 0;
  std::vector<double> ages_ms;
};

// One turn with the dashboard and its viewers.
Watched RateWatched(Tuners& tuners, const std::string& where, double seconds) {
  const std::string port_file = where + ".port";
  std::filesystem::remove(port_file);
  SpawnedProgram dashboard(HONE_PROGRAM,
                           {"dashboard", "--db", where, "--bind", "127.0.0.1:*", "--port-file", port_file});
  std::string url;
  for (int i = 0; url.empty() && i < 1000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream(port_file) >> url;
  }
  if (url.empty()) throw Error(ExitCode::kIo, "the dashboard does not begin");
  std::list<Watcher> watchers;
  for (int i = 0; i < kViewers; ++i) watchers.emplace_back(PortOfUrl(url.substr(0, url.size() - 1)), tuners);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Watched watched;
  const double before = CpuSecondsOf(dashboard.pid());
  watched.rate = Rate(tuners, seconds);
  watched.cpu_share = (CpuSecondsOf(dashboard.pid()) - before) / seconds;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  for (Watcher& watcher : watchers) {
    const std::vector<double>& ages = watcher.Stop();
    watched.ages_ms.insert(watched.ages_ms.end(), ages.begin(), ages.end());
  }
  kill(dashboard.pid(), SIGTERM);
  dashboard.End(2'000'000'000);
  std::filesystem::remove(port_file);
  return watched;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

int Run(double seconds, const std::string& folder) {
  const std::string where = folder + "/hone-bench-dashboard.db";
  std::filesystem::remove(where);
  Tuners tuners;
  for (int i = 0; i < kTuners; ++i) tuners.emplace_back(where, i);
  std::vector<double> losses, shares, ages;
  Rate(tuners, 1);
  for (int turn = 0; turn < kTurns; ++turn) {
    const double alone = Rate(tuners, seconds);
    const Watched watched = RateWatched(tuners, where, seconds);
    const double alone_again = Rate(tuners, seconds);
    losses.push_back(100 * (1 - 2 * watched.rate / (alone + alone_again)));
    shares.push_back(100 * watched.cpu_share);
    ages.insert(ages.end(), watched.ages_ms.begin(), watched.ages_ms.end());
    fmt::print("turn {}: {:.1f} trials/s without, {:.1f} with 20 viewers, {:.1f} without\n", turn + 1, alone,
               watched.rate, alone_again);
  }
  std::filesystem::remove(where);
  if (ages.empty()) throw Error(ExitCode::kBug, "no viewer saw a trial");
  std::sort(ages.begin(), ages.end());
  fmt::print("{} trials' ages at {} viewers: median {:.0f} ms, 99 % {:.0f} ms\n", ages.size(), kViewers,
             ages[ages.size() / 2], ages[ages.size() * 99 / 100]);
  Verdicts verdicts;
  verdicts.AtMost("ms until a trial is shown to 20 viewers, the longest", 1000, ages.back());
  verdicts.AtMost("% of their trials that 8 tuners lose, median of turns", 1, MedianOf(losses));
  verdicts.AtMost("% of a core that the dashboard takes, median of turns", 5, MedianOf(shares));
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_dashboard", [&] {
    return hone::bench::Run(argc > 1 ? std::atof(argv[1]) : 20, argc > 2 ? argv[2] : "/var/tmp");
  });
}
