#include "cli/time_packages.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

namespace hone {
namespace {

constexpr int64_t kMinRuns = 10;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t TimeOnce(Session& session) {
  const int64_t start = Now();
  session.Run();
  return Now() - start;
}

void WarmUp(Session& session, int64_t ns) {
  const int64_t end = Now() + ns;
  do {
    session.Run();
  } while (Now() < end);
}

std::unique_ptr<Session> Start(TimedPackage& timed, const TimePackagesOptions& options) {
  timed.package = Package::Load(timed.path);
  auto session = std::make_unique<Session>(timed.package, SessionOptions{.threads = options.threads});
  for (const auto& [name, tensor] : MakeInputs(InputSpecs(timed.package->plan()), options.inputs))
    session->SetInput(name, tensor);
  timed.threads = session->threads();
  return session;
}

bool Enough(const TimedPackage& timed, const TimePackagesOptions& options) {
  const auto runs = static_cast<int64_t>(timed.samples_ns.size());
  if (options.runs > 0) return runs >= options.runs;
  return runs >= kMinRuns &&
         std::accumulate(timed.samples_ns.begin(), timed.samples_ns.end(), int64_t{0}) >= options.min_time_ns;
}

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

std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options) {
  std::vector<TimedPackage> timed(paths.size());
  std::vector<std::unique_ptr<Session>> sessions;
  for (size_t i = 0; i < paths.size(); ++i) {
    timed[i].path = paths[i];
    sessions.push_back(Start(timed[i], options));
  }
  for (auto& session : sessions) WarmUp(*session, options.warm_up_ns);
  const auto enough = [&](const TimedPackage& t) { return Enough(t, options); };
  // All go on until the last has enough: the samples stay pairs of one moment.
  while (!std::all_of(timed.begin(), timed.end(), enough)) {
    for (size_t i = 0; i < timed.size(); ++i) timed[i].samples_ns.push_back(TimeOnce(*sessions[i]));
  }
  for (size_t i = 0; i < timed.size(); ++i) timed[i].call_ns = Profile(*sessions[i], options.profiled_runs);
  return timed;
}

}  // namespace hone
