#include "lab/bench/time_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <future>
#include <latch>
#include <sstream>
#include <system_error>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/bench/timed_package.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int kMostStreams = 1024;

// The end of one round's streams: a point in time, or a number of runs that were begun.
class Goal {
 public:
  Goal(int64_t runs, int64_t end_ns) : by_runs_(runs > 0), left_(runs), end_ns_(end_ns) {}
  bool Another() { return by_runs_ ? left_.fetch_sub(1) > 0 : MonotonicNs() < end_ns_; }

 private:
  const bool by_runs_;
  std::atomic<int64_t> left_;
  const int64_t end_ns_;
};

// The latencies of one stream, which starts when all streams are ready.
std::vector<int64_t> RunStream(Session& session, Goal& goal, std::latch& start) {
  std::vector<int64_t> latencies_ns;
  start.arrive_and_wait();
  while (goal.Another()) {
    const int64_t begin = MonotonicNs();
    session.Run();
    latencies_ns.push_back(MonotonicNs() - begin);
  }
  return latencies_ns;
}

// Runs all streams at once and returns their latencies, concatenated.
std::vector<int64_t> RunStreams(std::vector<std::unique_ptr<Session>>& sessions, Goal&& goal) {
  std::latch start(static_cast<std::ptrdiff_t>(sessions.size()));
  std::vector<std::future<std::vector<int64_t>>> streams;
  try {
    for (auto& session : sessions) {
      streams.push_back(std::async(std::launch::async, [&] { return RunStream(*session, goal, start); }));
    }
  } catch (const std::system_error& error) {
    // The streams that have started wait at the latch for all, so this counts down for the missing ones.
    start.count_down(static_cast<std::ptrdiff_t>(sessions.size() - streams.size()));
    throw Error(ExitCode::kIo, fmt::format("the system gave threads to {} of {}: {}", streams.size(),
                                           Counted(sessions.size(), "stream"), error.what()));
  }
  std::vector<int64_t> all;
  for (auto& stream : streams) {
    const std::vector<int64_t> of_one = stream.get();
    all.insert(all.end(), of_one.begin(), of_one.end());
  }
  return all;
}

class StreamBenchmark {
 public:
  StreamBenchmark(const std::vector<std::string>& paths, const std::vector<int>& streams,
                  const TimePackagesOptions& options)
      : options_(options) {
    if (options_.runs > 0) options_.rounds = static_cast<int>(std::min<int64_t>(options_.rounds, options_.runs));
    for (const std::string& path : paths) {
      for (const int n : streams) AddEntry(path, n);
    }
  }

  std::vector<TimedPackage> Run() {
    for (int round = 0; round < options_.rounds; ++round) {
      options_.progress(round);
      for (size_t k = 0; k < timed_.size(); ++k) RunRound((k + static_cast<size_t>(round)) % timed_.size(), round);
    }
    options_.progress(options_.rounds);
    return std::move(timed_);
  }

 private:
  void AddEntry(const std::string& path, int streams) {
    files_.emplace_back(path, options_.inputs);
    TimedPackage timed;
    timed.path = path;
    timed.streams = streams;
    timed.threads = options_.threads > 0 ? options_.threads : std::max(1, AllowedCores() / streams);
    timed.package = files_.back().first();
    timed.extents = files_.back().extents();
    timed_.push_back(std::move(timed));
  }

  void RunRound(size_t entry, int round) {
    TimedPackage& timed = timed_[entry];
    const MappedBytes gap = TakeGap(random_);
    const std::shared_ptr<const Package> package = files_[entry].Load();
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < timed.streams; ++i)
      sessions.push_back(files_[entry].Start(package, {.threads = timed.threads}));
    Warm(timed, sessions, round == 0 ? options_.first_warm_up_ns : options_.warm_up_ns);
    const int64_t runs = options_.runs > 0 ? RunsOfRound(options_.runs, round, options_.rounds) : 0;
    const int64_t cpu_ns = ProcessCpuNs(), begin = MonotonicNs();
    const std::vector<int64_t> latencies_ns =
        RunStreams(sessions, Goal(runs, begin + options_.min_time_ns / options_.rounds));
    const int64_t wall_ns = MonotonicNs() - begin;
    const auto done = static_cast<int64_t>(latencies_ns.size());
    timed.runs += done;
    timed.samples_ns.insert(timed.samples_ns.end(), latencies_ns.begin(), latencies_ns.end());
    timed.rounds.push_back(RoundOf(latencies_ns, done, ProcessCpuNs() - cpu_ns, wall_ns));
  }

  // Warms up one session after another until each is steady, so that each one's memory has been touched.
  void Warm(TimedPackage& timed, std::vector<std::unique_ptr<Session>>& sessions, int64_t least_ns) {
    for (auto& session : sessions) {
      WarmUp warm_up(least_ns / timed.streams, std::max(least_ns, options_.most_warm_up_ns));
      while (!warm_up.over()) {
        const int64_t begin = MonotonicNs();
        session->Run();
        warm_up.Add(MonotonicNs() - begin);
      }
      timed.settled = timed.settled && warm_up.settled();
    }
  }

  TimePackagesOptions options_;
  std::vector<LoadedAnew> files_;
  std::vector<TimedPackage> timed_;
  Random random_{1};
};

}  // namespace

std::vector<TimedPackage> TimeStreams(const std::vector<std::string>& paths, const std::vector<int>& streams,
                                      const TimePackagesOptions& options) {
  return StreamBenchmark(paths, streams, options).Run();
}

std::vector<int> ParseStreams(const std::string& text) {
  std::vector<int> streams;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    int n = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (error != std::errc() || end != part.data() + part.size() || n < 1 || n > kMostStreams) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--streams {}: numbers from 1 to {} would be right, as 4 or 1,2,4", text, kMostStreams));
    }
    streams.push_back(n);
  }
  return streams;
}

}  // namespace hone
