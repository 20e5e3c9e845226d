#include "cli/bench/time_packages.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace hone {
namespace {

constexpr int64_t kMinRuns = 10;
constexpr int64_t kMostSamples = 10'000;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What one run took.
int64_t WarmUp(Session& session, int64_t ns) {
  const int64_t start = Now();
  int64_t runs = 0;
  do {
    session.Run();
    ++runs;
  } while (Now() - start < ns);
  return (Now() - start) / runs;
}

std::unique_ptr<Session> Start(TimedPackage& timed, const TimePackagesOptions& options) {
  timed.package = Package::Load(timed.path);
  auto session = std::make_unique<Session>(timed.package, SessionOptions{.threads = options.threads});
  for (const auto& [name, tensor] : MakeInputs(InputSpecs(*timed.package), options.inputs))
    session->SetInput(name, tensor);
  timed.threads = session->threads();
  return session;
}

// One package's turns.
class Turns {
 public:
  Turns(TimedPackage& timed, Session& session, const TimePackagesOptions& options)
      : timed_(timed), session_(session), options_(options) {}

  void Take() {
    const int64_t left = options_.runs > 0 ? options_.runs - timed_.runs : timed_.batch;
    const int64_t runs = std::min(timed_.batch, left);
    const int64_t start = Now();
    for (int64_t i = 0; i < runs; ++i) session_.Run();
    const int64_t spent_ns = Now() - start;
    timed_.runs += runs;
    timed_.samples_ns.push_back(spent_ns / runs);
    spent_ns_ += spent_ns;
  }

  bool Enough() const {
    if (options_.runs > 0) return timed_.runs >= options_.runs;
    return timed_.runs >= kMinRuns && spent_ns_ >= options_.min_time_ns;
  }

 private:
  TimedPackage& timed_;
  Session& session_;
  const TimePackagesOptions& options_;
  int64_t spent_ns_ = 0;
};

// The median of each call over the runs.
std::vector<int64_t> Profile(Session& session, int runs) {
  std::vector<std::vector<int64_t>> by_call;
  for (int run = 0; run < runs; ++run) {
    const std::vector<int64_t> times = session.RunProfiled();
    by_call.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) by_call[i].push_back(times[i]);
  }
  std::vector<int64_t> medians;
  for (std::vector<int64_t>& times : by_call) {
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    medians.push_back(times[times.size() / 2]);
  }
  return medians;
}

}  // namespace

std::vector<int64_t> RunsPerSample(const std::vector<int64_t>& run_ns, const TimePackagesOptions& options) {
  if (options.runs > 0) return std::vector<int64_t>(run_ns.size(), CeilDiv(options.runs, kMostSamples));
  int64_t sample_ns = options.min_time_ns / kMostSamples;
  for (const int64_t ns : run_ns) sample_ns = std::max(sample_ns, ns);
  std::vector<int64_t> batches;
  for (const int64_t ns : run_ns) batches.push_back(std::max<int64_t>(1, sample_ns / std::max<int64_t>(1, ns)));
  return batches;
}

std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options) {
  std::vector<TimedPackage> timed(paths.size());
  std::vector<std::unique_ptr<Session>> sessions;
  for (size_t i = 0; i < paths.size(); ++i) {
    timed[i].path = paths[i];
    sessions.push_back(Start(timed[i], options));
  }
  std::vector<int64_t> run_ns;
  for (auto& session : sessions) run_ns.push_back(WarmUp(*session, options.warm_up_ns));
  const std::vector<int64_t> batches = RunsPerSample(run_ns, options);
  std::vector<Turns> turns;
  for (size_t i = 0; i < timed.size(); ++i) {
    timed[i].batch = batches[i];
    turns.emplace_back(timed[i], *sessions[i], options);
  }
  // All go on until the last has enough: the samples stay pairs of one moment.
  while (!std::all_of(turns.begin(), turns.end(), [](const Turns& t) { return t.Enough(); })) {
    for (Turns& each : turns) each.Take();
  }
  for (size_t i = 0; i < timed.size(); ++i) timed[i].call_ns = Profile(*sessions[i], options.profiled_runs);
  return timed;
}

}  // namespace hone
